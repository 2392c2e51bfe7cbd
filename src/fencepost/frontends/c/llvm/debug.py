"""Debug information: from an instruction to a line of the source, and from a variable to its type and the names of its
fields. Metadata is kept as text and looked at only where it is asked for."""

from __future__ import annotations

import os
import re
from functools import cache

from fencepost.frontends.c.llvm.tokens import unescape
from fencepost.program.datatypes import Array, DataType, Field, Scalar, Struct
from fencepost.program.operands import Position

_FIELD = re.compile(r'(\w+): ("(?:[^"\\]|\\.)*"|![\d]+|![A-Z]\w*\([^)]*\)|[-\w| ]+)')
_ITEM = re.compile(r"!(\d+)|null")
_MAX_DEPTH = 12


class Debug:
    def __init__(self, metadata: dict[int, str]) -> None:
        self.metadata = metadata
        self.node = cache(self._node)
        self.position = cache(self._position)
        self._file = cache(self._file_of)
        self._shown_file = cache(self._path)

    def _node(self, number: int) -> dict[str, str]:
        """The fields of a node by name; `kind` is its class."""
        text = self.metadata.get(number, "").removeprefix("distinct ")
        kind, _, rest = text.partition("(")
        return {"kind": kind.strip("!")} | {k: unescape(v.strip('"')) for k, v in _FIELD.findall(rest)}

    def _reference(self, node: dict[str, str], key: str) -> int | None:
        value = node.get(key, "")
        return int(value[1:]) if value.startswith("!") and value[1:].isdigit() else None

    def items(self, number: int | None) -> list[int]:
        """The elements of a tuple of nodes."""
        text = self.metadata.get(number, "") if number is not None else ""
        return [int(n) for n in _ITEM.findall(text) if n]

    def loop(self, number: int, otherwise: int | None) -> int | None:
        """Where the loop of this node is written."""
        return next((n for n in self.items(number)[1:2] if self.node(n)["kind"] == "DILocation"), otherwise)

    def _position(self, number: int) -> Position | None:
        node = self.node(number)
        scope = self._reference(node, "scope")
        file = self._file(scope) if scope is not None else self._name_of_file(self._reference(node, "file"))
        line, inlined = int(node.get("line", "0")), self._reference(node, "inlinedAt")
        if not file or not line:
            return None
        within = self.position(inlined) if inlined is not None else None
        function = self._function_of(scope) if within is not None and scope is not None else ""
        return Position(file, line, int(node.get("column", "0")), function, within)

    def _function_of(self, scope: int) -> str:
        """The linked name of the function that a scope is in."""
        for _ in range(100):
            node = self.node(scope)
            if node["kind"] == "DISubprogram":
                return node.get("linkageName") or node.get("name", "")
            outer = self._reference(node, "scope")
            if outer is None:
                break
            scope = outer
        return ""

    def _file_of(self, scope: int) -> str | None:
        seen = 0
        while scope is not None and seen < 100:
            node = self.node(scope)
            file = self._name_of_file(self._reference(node, "file"))
            if file:
                return file
            scope, seen = self._reference(node, "scope") or -1, seen + 1
        return None

    def _name_of_file(self, number: int | None) -> str | None:
        if number is None:
            return None
        return self._shown_file(number)

    def _path(self, number: int) -> str | None:
        """A file as a person here would name it: from the current folder where it lies inside."""
        node = self.node(number)
        name = node.get("filename")
        if not name:
            return None
        full = os.path.normpath(os.path.join(node.get("directory", ""), name))  # noqa: PTH118 - text, not a file
        here = os.getcwd() + os.sep  # noqa: PTH109 - text, not a file
        return full.removeprefix(here)

    def function_position(self, number: int | None) -> Position | None:
        """Where a function stands."""
        if number is None:
            return None
        node = self.node(number)
        file = self._name_of_file(self._reference(node, "file"))
        return Position(file, int(node.get("line", "0"))) if file else None

    # --- types

    def variable(self, number: int | None) -> tuple[str, DataType | None, Position | None]:
        """Name as in the source, type and place of a global variable."""
        if number is None:
            return "", None, None
        node = self.node(number)
        if node["kind"] == "DIGlobalVariableExpression":
            inner = self._reference(node, "var")
            return self.variable(inner) if inner is not None else ("", None, None)
        file = self._name_of_file(self._reference(node, "file"))
        at = Position(file, int(node.get("line", "0"))) if file else None
        return node.get("name", ""), self.datatype(self._reference(node, "type")), at

    def type_of(self, variable: int | None) -> int | None:
        """The type of a local or global variable, as the number of its node."""
        if variable is None:
            return None
        node = self.node(variable)
        if node["kind"] == "DIGlobalVariableExpression":
            return self.type_of(self._reference(node, "var"))
        return self._reference(node, "type")

    def pointee(self, number: int | None) -> tuple[str, DataType | None]:
        """What a pointer of this type points at, with the name that the source has for it (of a struct without one
        that of its typedef); nothing for others."""
        pointed, pointers, alias = number, 0, ""
        while pointed is not None:
            node = self.node(pointed)
            if node["kind"] != "DIDerivedType" or (pointers and node.get("tag") == "DW_TAG_pointer_type"):
                break
            alias = node.get("name", "") if pointers and node.get("tag") == "DW_TAG_typedef" else alias
            pointers += node.get("tag") in ("DW_TAG_pointer_type", "DW_TAG_reference_type")
            pointed = self._reference(node, "baseType")
        if pointed is None or not pointers:
            return "", None
        return self.node(pointed).get("name", "") or alias, self.datatype(pointed)

    def named(self, number: int | None) -> tuple[str, DataType | None]:
        """A type with the name that the source has for it."""
        node = self.node(number) if number is not None else {}
        return (node.get("name", ""), self.datatype(number)) if node else ("", None)

    def datatype(self, number: int | None, depth: int = 0) -> DataType | None:
        if number is None or depth > _MAX_DEPTH:
            return None
        node = self.node(number)
        size = int(node.get("size", "0")) // 8
        base = self._reference(node, "baseType")
        match node["kind"], node.get("tag", ""):
            case "DIBasicType", _:
                return Scalar(_scalar_kind(node.get("encoding", "")), size) if size else None
            case "DIDerivedType", "DW_TAG_pointer_type" | "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type":
                return Scalar("p", 8)
            case "DIDerivedType", _:
                return self.datatype(base, depth + 1)
            case "DICompositeType", "DW_TAG_array_type":
                return self._array(node, base, depth)
            case "DICompositeType", "DW_TAG_enumeration_type":
                return Scalar("i", size or 4)
            case "DICompositeType", "DW_TAG_structure_type" | "DW_TAG_class_type" | "DW_TAG_union_type":
                return self._struct(node, size, depth)
        return None

    def _array(self, node: dict[str, str], base: int | None, depth: int) -> DataType | None:
        found = self.datatype(base, depth + 1)
        if found is None:
            return None
        for dimension in reversed(self.items(self._reference(node, "elements"))):
            count = self.node(dimension).get("count", "0")
            found = Array(found, int(count) if count.lstrip("-").isdigit() else 0)
        return found

    def _struct(self, node: dict[str, str], size: int, depth: int) -> DataType | None:
        fields: list[Field] = []
        for number in self.items(self._reference(node, "elements")):
            member = self.node(number)
            if member.get("tag") not in ("DW_TAG_member", "DW_TAG_inheritance") or "StaticMember" in member.get(
                "flags", ""
            ):
                continue
            type_ = self.datatype(self._reference(member, "baseType"), depth + 1)
            if type_ is not None:
                fields.append(Field(member.get("name") or "base", int(member.get("offset", "0")) // 8, type_))
        return Struct(tuple(fields), size) if size else None


def _scalar_kind(encoding: str) -> str:
    if "float" in encoding:
        return "f"
    return "u" if "unsigned" in encoding or "boolean" in encoding else "i"
