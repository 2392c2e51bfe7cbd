// The editor of the playground: CodeMirror with the languages that Fencepost reads. `npm ci && npm run build` makes
// src/fencepost/serve/assets/editor.js of it.
import { EditorState, Compartment } from "@codemirror/state";
import {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, highlightSpecialChars,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import {
  StreamLanguage, HighlightStyle, syntaxHighlighting, indentOnInput, bracketMatching, foldGutter, foldKeymap, indentUnit,
} from "@codemirror/language";
import { setDiagnostics, lintGutter } from "@codemirror/lint";
import { cpp } from "@codemirror/lang-cpp";
import { tags as t } from "@lezer/highlight";

const words = (text) => new Set(text.split(" "));

// A language of words, comments, numbers and strings, which is what these are.
function simple({ keywords, types = "", line = "//", block = ["/*", "*/"], name = /^[A-Za-z_][\w.\-]*/ }) {
  const known = words(keywords), typed = words(types);
  return StreamLanguage.define({
    startState: () => ({ inside: false }),
    token(stream, state) {
      if (state.inside) {
        if (stream.skipTo(block[1])) { stream.match(block[1]); state.inside = false; } else stream.skipToEnd();
        return "comment";
      }
      if (stream.eatSpace()) return null;
      if (line && stream.match(line)) { stream.skipToEnd(); return "comment"; }
      if (block && stream.match(block[0])) { state.inside = true; return "comment"; }
      if (stream.match(/^"[^"]*"?/)) return "string";
      if (stream.match(/^(0x[0-9a-fA-F]+|\d+)\b/)) return "number";
      const found = stream.match(name);
      if (found) return known.has(found[0]) ? "keyword" : typed.has(found[0]) ? "typeName" : "variableName";
      stream.next();
      return "operator";
    },
    languageData: { commentTokens: { line: line || undefined, block: block ? { open: block[0], close: block[1] } : undefined } },
  });
}

const languages = {
  c: () => cpp(),
  cpp: () => cpp(),
  fp: () => simple({
    keywords: "thread var na const fn mutex if else while for in goto break continue return local assert assume wait fence sync "
      + "lwsync isync exists forall choose observe filter lock unlock cas xchg fadd",
    types: "rlx acq rel acq_rel sc relaxed acquire release seq_cst", name: /^[A-Za-z_]\w*/,
  }),
  litmus: () => simple({ keywords: "exists forall filter locations P0 P1 P2 P3 P4 P5 P6 P7", line: "", block: ["(*", "*)"] }),
  cat: () => simple({
    keywords: "let rec and in fun match with end try if then else not from include acyclic irreflexive empty flag show unshow as "
      + "procedure call forall foreach enum do begin",
    types: "po rf co fr rfe rfi coe coi fre fri loc ext int id addr data ctrl rmw amo R W M F RMW IW FW", line: "", block: ["(*", "*)"],
  }),
};

const colours = HighlightStyle.define([
  { tag: [t.keyword, t.modifier, t.controlKeyword, t.operatorKeyword, t.definitionKeyword], color: "var(--sw)" },
  { tag: [t.comment, t.lineComment, t.blockComment], color: "var(--soft)", fontStyle: "italic" },
  { tag: [t.number, t.bool, t.literal], color: "var(--co)" },
  { tag: [t.string, t.character], color: "var(--rf)" },
  { tag: [t.typeName, t.standard(t.typeName)], color: "var(--dep)" },
  { tag: [t.processingInstruction, t.meta, t.macroName], color: "var(--fr)" },
]);
const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13.5px", backgroundColor: "var(--paper)", color: "var(--ink)" },
  ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "var(--lane)", color: "var(--soft)", border: "none", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--lane) 70%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--co) 28%, transparent) !important" },
  ".cm-panels": { backgroundColor: "var(--lane)", color: "var(--ink)" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--soft)", borderRadius: "7px" },
});

// An editor inside `parent`. `run` is called for Ctrl-Enter. Tab indents; after Escape it moves the focus, so that nobody
// who has no mouse is caught in it.
export function create(parent, { text = "", language = "c", label, run }) {
  const mode = new Compartment();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), foldGutter(), drawSelection(), indentOnInput(),
        bracketMatching(), highlightActiveLine(), highlightSelectionMatches(), lintGutter(), indentUnit.of("  "),
        syntaxHighlighting(colours), theme, mode.of(languages[language]()),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        keymap.of([{ key: "Mod-Enter", run: () => { run(); return true; } }, indentWithTab, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap]),
      ],
    }),
  });
  return {
    view,
    get text() { return view.state.doc.toString(); },
    set text(value) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } }); },
    set language(name) { view.dispatch({ effects: mode.reconfigure(languages[name]()) }); },
    // Marks places: [{line, column, message}].
    mark(places) {
      const doc = view.state.doc;
      const found = places.filter((p) => p.line >= 1 && p.line <= doc.lines).map((p) => {
        const line = doc.line(p.line), from = Math.min(line.from + Math.max((p.column || 1) - 1, 0), line.to);
        return { from, to: line.to, severity: p.severity || "error", message: p.message };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    reveal(number) {
      const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
    },
    focus() { view.focus(); },
  };
}
