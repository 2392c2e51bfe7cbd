"""What single instructions and C statements compute: one thread run on the plain machine."""
# ruff: noqa: E501 - a case is a line

from __future__ import annotations

import pytest

from fencepost.explore import outcomes
from fencepost.frontends.litmus import read
from fencepost.program.condition import FinalMemory, FinalRegister
from fencepost.program.instructions import Fence, Load, Mode, Rmw, Store
from fencepost.program.interpret import Kind, Machine, Part
from fencepost.program.operands import to_signed, to_unsigned
from fencepost.program.program import Program


def final(text: str) -> dict[str, int]:
    """The observed values after the one thread of a test ran alone."""
    program = read(text, "test.litmus")
    machine = Machine(program)
    state, memory = machine.start(0), dict[int, int]()
    while (action := machine.run(state)).kind is not Kind.END:
        assert action.kind is not Kind.ERROR, action.message
        old = sum(memory.get(action.address + i, machine.initial(action.address + i, 1)) << 8 * i
                  for i in range(action.size))  # fmt: skip
        if action.kind is Kind.WRITE:
            for i in range(action.size):
                memory[action.address + i] = action.value >> 8 * i & 0xFF
        reply = 1 if action.conditional is not None else old if action.kind is Kind.READ else 0
        machine.reply(state, reply, 1 if action.part is Part.EXCLUSIVE else -1)
    return {o.name: _value(program, machine, memory, state.final, o) for o in program.observations}


def _value(program: Program, machine: Machine, memory: dict[int, int], registers: tuple[int, ...], o: object) -> int:
    match o.what:  # type: ignore[attr-defined]
        case FinalRegister(_, register):
            value = registers[program.functions[0].registers.index(register)]
        case FinalMemory(name, offset, size):
            start = machine.layout.globals[name] + offset
            value = sum(memory.get(start + i, machine.initial(start + i, 1)) << 8 * i for i in range(size))
    read_as = to_signed if o.signed else to_unsigned  # type: ignore[attr-defined]
    return read_as(value, o.width)  # type: ignore[attr-defined]


def assembly(arch: str, init: str, code: str, locations: str) -> str:
    rows = "".join(f" {line.strip()} ;\n" for line in code.split(";") if line.strip())
    return f"{arch} t\n{{ {init} }}\n P0 ;\n{rows}locations [{locations}]\n"


@pytest.mark.parametrize(
    ("arch", "init", "code", "expected"),
    [
        ("PPC", "0:r2=x; x=7", "lwz r1,0(r2); addi r1,r1,-9; stw r1,0(r2)", {"0:r1": -2, "x": -2}),
        ("PPC", "", "li r1,5; li r3,3; subf r4,r3,r1; xor r5,r1,r3; nor r6,r1,r3", {"0:r4": 2, "0:r5": 6, "0:r6": -8}),
        ("PPC", "0:r2=x", "li r3,4; li r1,8; stwx r1,r2,r3; lwz r5,4(r2)", {"0:r5": 8}),
        ("PPC", "0:r2=x; x=1", "lwarx r1,0,r2; addi r1,r1,1; stwcx. r1,0,r2; bne L; li r9,1; L:", {"x": 2, "0:r9": 1}),
        ("PPC", "", "li r1,-1; cmpwi r1,0; blt L; li r2,1; L: li r3,1", {"0:r2": 0, "0:r3": 1}),
        ("PPC", "", "li r1,-1; li r4,0; cmplw r1,r4; blt L; li r2,1; L: li r3,1", {"0:r2": 1}),
        ("PPC", "0:r2=x; x=0x80", "lbz r1,0(r2); lis r3,1; andi. r4,r1,0x7f; beq L; li r5,9; L:",
         {"0:r1": 128, "0:r3": 65536, "0:r4": 0, "0:r5": 0}),
        ("PPC", "0:r2=x; 0:r0=5; x=9", "lwarx r1,r0,r2; cmpw cr3,r1,r1; bne- cr3,L; mr r4,r1; L:", {"0:r1": 9, "0:r4": 9}),
        ("X86", "x=3", "MOV EAX,[x]; ADD EAX,$4; MOV [y],EAX; xchg EAX,[x]", {"x": 7, "y": 7, "0:EAX": 3}),
        ("X86", "x=3", "mov EAX,3; mov EBX,9; lock cmpxchg [x],EBX; je L; mov ECX,1; L:", {"x": 9, "0:ECX": 0}),
        # herd writes the memory first in its order of operands, too: no such instruction has memory for a source
        ("X86_64", "int x=3", "movl $3,%eax; movl $9,%ebx; lock cmpxchgl (x),%ebx", {"x": 9, "0:rax": 3, "0:rbx": 9}),
        ("X86_64", "int x=3", "movl $5,%ecx; lock xaddl (x),%ecx", {"x": 8, "0:rcx": 3}),
        ("X86", "x=1", "lock inc [x]; inc dword ptr [x]; mov ECX,5; lock xadd [x],ECX", {"x": 8, "0:ECX": 3}),
        ("X86", "", "mov EAX,0x1ff; mov AL,2; cmp EAX,0x102; jne L; mov EBX,1; L:", {"0:EAX": 0x102, "0:EBX": 1}),
        ("X86_64", "uint64_t x=1", "movq $2,(x); movq (x),%rax; addq $1,%rax; movl %eax,%ebx", {"0:rax": 3, "0:rbx": 3}),
        ("X86_64", "0:rax=x", "movl $5,(%rax); movl $6,4(%rax); movl 4(%rax),%ecx", {"0:ecx": 6}),
        ("AArch64", "0:X1=x; x=5", "LDR W0,[X1]; ADD W0,W0,#1; STR W0,[X1]", {"0:X0": 6, "x": 6}),
        ("AArch64", "0:X1=x", "MOV W0,#-1; MVN W2,W0; EOR W3,W0,W0; SUB W4,W3,#2", {"0:X0": -1, "0:X2": 0, "0:X4": -2}),
        ("AArch64", "uint64_t 0:X0", "MOV W0,#-1", {"0:X0": 0xFFFFFFFF}),
        ("AArch64", "0:X1=x; x=5", "LDXR W0,[X1]; ADD W0,W0,#1; STXR W2,W0,[X1]; CBNZ W2,L; MOV W3,#1; L:",
         {"x": 6, "0:X2": 0, "0:X3": 1}),
        ("AArch64", "0:X1=x; x=5", "MOV W0,#3; LDADDAL W0,W2,[X1]; SWP W0,W3,[X1]", {"x": 3, "0:X2": 5, "0:X3": 8}),
        ("AArch64", "0:X1=x; x=5", "MOV W0,#5; MOV W2,#9; CASA W0,W2,[X1]; LDCLR W2,W3,[X1]", {"0:X0": 5, "x": 0}),
        ("AArch64", "0:X1=x", "MOV W2,#1; MOV W3,#2; STP W2,W3,[X1]; LDP W4,W5,[X1]; LDR W6,[X1,#4]!; LDR W7,[X1],#-4",
         {"0:X4": 1, "0:X5": 2, "0:X6": 2, "0:X7": 2}),
        ("AArch64", "0:X1=x; x=0x80", "LDRB W0,[X1]; LDRSB W2,[X1]; MOV W3,#3; STRH W3,[X1]", {"0:X0": 128, "0:X2": -128}),
        ("AArch64", "", "MOV W0,#3; CMP W0,#4; B.LT L; MOV W1,#1; L: CSET W2,LE; CSEL W3,W0,WZR,GT", {"0:X1": 0, "0:X2": 1}),
        ("AArch64", "", "MOV W0,#0x1234; UBFX W1,W0,#8,#8", {"0:X1": 0x12}),
        ("AArch64", "", "MOVZ X0,#1,LSL #16; MOVK X0,#7; TBNZ X0,#2,L; MOV W1,#1; L:", {"0:X0": 65543, "0:X1": 0}),
        ("RISCV", "0:x6=x; x=-1", "lw x5,0(x6); lwu x7,0(x6); srli x8,x7,31; sltu x9,x0,x5", {"0:x5": -1, "0:x8": 1, "0:x9": 1}),
        ("RISCV", "0:a0=x; x=4", "lr.w.aq t0,(a0); addi t0,t0,1; sc.w.rl t1,t0,(a0); bnez t1,L; li t2,7; L:",
         {"x": 5, "0:x6": 0, "0:x7": 7}),
        ("RISCV", "0:x6=x; x=4", "li x5,3; amoadd.w.aq.rl x7,x5,(x6); amoswap.w x0,x5,(x6); amomax.w x8,x7,(x6)",
         {"0:x7": 4, "0:x8": 3, "x": 4}),
        ("RISCV", "", "ori x5,x0,1; xori x6,x5,3; sub x7,x5,x6; beq x5,x6,L; addiw x8,x7,0; L: li x0,5; mv x9,x0",
         {"0:x6": 2, "0:x7": -1, "0:x8": -1, "0:x9": 0}),
    ],
)  # fmt: skip
def test_assembly(arch: str, init: str, code: str, expected: dict[str, int]) -> None:
    found = final(assembly(arch, init, code, ";".join(expected)))
    assert found == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("int r0 = 7 / 2 + 3 * -2; int r1 = r0 < 0;", {"0:r0": -3, "0:r1": 1}),
        ("unsigned r0 = 0; r0 -= 1; long r1 = r0; int r2 = r0 > 5;", {"0:r0": 0xFFFFFFFF, "0:r1": 0xFFFFFFFF, "0:r2": 1}),
        ("int r0 = -1; long r1 = r0; uint8_t r2 = 300; int r3 = (char) 200;", {"0:r1": -1, "0:r2": 44, "0:r3": -56}),
        ("*x = 3; int r0 = atomic_fetch_add(x, 2); int r1 = *x;", {"0:r0": 3, "0:r1": 5}),
        ("int r0 = 0; while (r0 < 5) { r0++; if (r0 == 3) break; } int r1 = r0 ? 10 : 20;", {"0:r0": 3, "0:r1": 10}),
        ("int r0 = 0; for (int i = 0; i < 4; i++) { if (i == 2) continue; r0 += i; }", {"0:r0": 4}),
        ("int r0 = 0; do { r0 += 2; } while (r0 < 5 && r0 != 4);", {"0:r0": 4}),
        ("int r0 = 5; int r1 = atomic_compare_exchange_strong(x, &r0, 9); int r2 = r0;", {"0:r1": 0, "0:r2": 0}),
        ("int r0 = 0; int r1 = atomic_compare_exchange_weak_explicit(x, &r0, 9, memory_order_acq_rel,"
         " memory_order_acquire); int r2 = *x;", {"0:r1": 1, "0:r2": 9}),
        ("*y = 4; int r0 = atomic_compare_exchange_strong(x, y, 9); int r1 = *y;", {"0:r0": 0, "0:r1": 0}),
        ("a[1] = 6; int r0 = a[1] + *(a + 1); int r1 = !r0 || (r0 >> 2) == 3;", {"0:r0": 12, "0:r1": 1}),
        ("int r0 = atomic_exchange(x, 4), r1 = atomic_load(x); if (r0) r1 = 9; else { int r0 = 8; r1 += r0; }",
         {"0:r0": 0, "0:r1": 12}),
    ],
)  # fmt: skip
def test_c(code: str, expected: dict[str, int]) -> None:
    text = f"C t\n{{ int a[2]={{1,2}}; }}\nP0 (atomic_int* x, int* y, int* a) {{ {code} }}\nlocations [{';'.join(expected)}]"
    assert final(text) == expected


def test_modes_and_fences() -> None:
    text = assembly("RISCV", "0:x6=x", "lw.aq x5,0(x6); sw.rl x5,0(x6); amoor.w.aqrl x5,x5,(x6); fence r,rw; fence.tso; "
                    "fence; fence iorw,w", "x")  # fmt: skip
    code = read(text, "t").functions[0].code
    assert [i.mode for i in code if isinstance(i, Load | Store | Rmw)] == [Mode.ACQ, Mode.REL, Mode.SC]
    kinds = [i.kind.value for i in code if isinstance(i, Fence)]
    assert kinds == ["fence.r.rw", "fence.tso", "fence.rw.rw", "fence.rw.w"]
    text = assembly("AArch64", "0:X1=x", "LDAR W0,[X1]; LDAPR W0,[X1]; STLR W0,[X1]; SWPA W0,W2,[X1]; SWPAL W0,WZR,[X1]; "
                    "DMB ISHLD; DSB SY; ISB", "x")  # fmt: skip
    code = read(text, "t").functions[0].code
    modes = [i.mode for i in code if isinstance(i, Load | Store | Rmw)]
    assert modes == [Mode.ACQ, Mode.ACQ_PC, Mode.REL, Mode.ACQ, Mode.REL]
    assert [i.kind.value for i in code if isinstance(i, Fence)] == ["dmb.ld", "dsb.sy", "isb"]


def test_dependencies_are_syntactic() -> None:
    """xor r,r and a comparison of a register with itself still depend on what was read."""
    text = assembly("PPC", "0:r2=x; 0:r5=y", "lwz r1,0(r2); xor r3,r1,r1; lwzx r4,r3,r5; cmpw r1,r1; beq L; L: stw r4,0(r5)",
                    "x")  # fmt: skip
    machine = Machine(read(text, "t"))
    state, actions = machine.start(0), []
    while (action := machine.run(state)).kind is not Kind.END:
        actions.append(action)
        machine.reply(state, 0, len(actions))
    assert actions[1].address_deps == {1}
    assert actions[2].data_deps == {2} and actions[2].control_deps == {1}


@pytest.mark.parametrize(
    ("tail", "observed"),
    [
        ("exists (x=-1)", {"x"}),
        ("exists ([x]=1 /\\ 0:r1=&y)", {"x", "0:r1"}),
        ("~exists (P0:r1=0x1 \\/ ~(y[1]=2))", {"0:r1", "y[1]"}),
        ("locations [x; 0:r1;] forall (true)", {"x", "0:r1"}),
        ("filter (0:r1=1) exists (0:r2=0:r1 => not ( *x != 2))", {"0:r1", "0:r2", "x"}),
        ("final (x=1);\nwith\ntso: ~exists;\ndefault: exists;\n<<\nshow 0\n>>\n", {"x"}),
    ],
)
def test_questions(tail: str, observed: set[str]) -> None:
    text = f'PPC "a quoted name" (* a (* nested *) comment *)\n"doc {{"\n{{ int y[2]={{1,2}}; x=y; 0:r1=x; }};\n P0 ;\n li r2,1 ;\n{tail}'
    program = read(text, "t")
    assert program.name == "a quoted name"
    assert {o.name for o in program.observations} == observed and program.condition is not None


@pytest.mark.parametrize("asked", ["1:X1=1", "[z]=2"])
def test_a_write_behind_a_retry_loop_need_not_wait_for_it(asked: str) -> None:
    """herd allows it: nothing in P1 orders the load of the pair before the last store. The explorer lost it."""
    text = f"""AArch64 LB+retry
{{ 0:X0=x; 0:X7=z; 1:X0=z; 1:X5=x; }}
 P0           | P1              ;
 LDR W1,[X0]  | MOV W2,#2       ;
 MOV W4,#1    | Loop:           ;
 STLR W4,[X7] | LDXR W1,[X0]    ;
              | STXR W3,W2,[X0] ;
              | CBNZ W3,Loop    ;
              | MOV W4,#1       ;
              | STR W4,[X5]     ;
exists (z=2 /\\ 0:X1=1 /\\ {asked})
"""
    found = outcomes(read(text, "retry.litmus"), "armv8")
    assert (found.holds, found.executions, found.reason) == (True, 4, "")


def test_a_retry_loop_whose_register_is_asked_for_ends() -> None:
    """Each round loads the register anew, so a failed one leaves nothing behind; it was explored for ever."""
    text = """AArch64 retry
{ 0:X0=y; 1:X0=y; }
 P0               | P1           ;
 MOV W2,#2        | LDR W1,[X0]  ;
 Loop:            | MOV W2,#1    ;
 LDXR W1,[X0]     | STR W2,[X0]  ;
 STLXR W3,W2,[X0] |              ;
 CBNZ W3,Loop     |              ;
exists (y=2 /\\ 0:X1=1 /\\ 1:X1=2)
"""
    found = outcomes(read(text, "retry.litmus"), "armv8")
    assert (found.holds, found.executions, len(found.states), found.reason) == (False, 3, 3, "")


@pytest.mark.parametrize(
    ("init", "offset", "value"),
    [
        ("", "", 0xFF45),
        ("x=0x70001;", "", 0x7FF45),
        ("", ",#2", to_signed(0xFF450000, 32)),
        ("int16_t x;", "", -187),
        ("uint16_t x;", "", 0xFF45),
    ],
)
def test_a_location_without_a_type_is_an_int(init: str, offset: str, value: int) -> None:
    """However few of its bytes are accessed: as herd -variant mixed has it."""
    found = final(assembly("AArch64", f"0:X1=x; 0:X0=0x1ff45; {init}", f"STRH W0,[X1{offset}]", "x"))
    assert found == {"x": value}
