"""Every form of every instruction that herd's users write is read: sizes, orders, addressing modes, spellings; and what
the less common ones compute."""

from __future__ import annotations

import re

import pytest

from fencepost.errors import FencepostError
from fencepost.explore.driver import outcomes
from fencepost.frontends.litmus import read
from fencepost.program.program import Arch
from fencepost.suite.engine import NATURAL

#: By architecture: an initial state, and instructions; `;` stands between the rows of a test.
FORMS = {
    "AArch64": (
        "{0:X1=x;0:X3=y;uint64_t z[4];0:X9=z;}",
        """LDXP W0,W2,[X9] | CASPAL W4,W5,W6,W7,[X9] | STLLR W0,[X1] | STLLRB W0,[X1] | LDLAR W0,[X1] |
        LDLARB W0,[X1] | LDLARH W0,[X1] | STLUR W0,[X1] | STLUR W0,[X1,#4] | LDAPUR W0,[X1,#4] |
        LDAPRB W0,[X1] | LDAPRH W0,[X1] | LDAPR X0,[X1] | STLRB W0,[X1] | STLRH W0,[X1] | LDARB W0,[X1] |
        LDARH W0,[X1] | LDXRB W0,[X1] | LDAXRH W0,[X1] | STXRB W2,W0,[X1] | STLXRH W2,W0,[X1] |
        LDRB W0,[X1,#1] | LDRH W0,[X1,#2] | STRB W0,[X1,#1] | STRH W0,[X1,#2] | LDRSB W0,[X1] | LDRSH X0,[X1] |
        LDRSW X0,[X1] | LDR W0,[X1,X2] | LDR W0,[X1,W2,SXTW] | LDR W0,[X1,W2,UXTW] | LDR W0,[X1,W2,SXTW #2] |
        LDR W0,[X1,X2,LSL #2] | LDR W0,[X1,#4]! | LDR W0,[X1],#4 | STR W0,[X1,#4]! | STR W0,[X1],#4 |
        LDR X0,[X1] | STR XZR,[X1] | STR WZR,[X1] | LDUR W0,[X1,#3] | STUR W0,[X1,#-4] | ldr w0,[x1] |
        Ldr w0, [x1, #0] | LDR W0,[X1, 4] | LDP W0,W2,[X1] | LDP X0,X2,[X9,#16] | STP W0,W2,[X1] |
        STP X0,X2,[X9] | LDNP W0,W2,[X1] | STNP W0,W2,[X1] | LDPSW X0,X2,[X1] | LDP W0,W2,[X1],#8 |
        STP W0,W2,[X1,#8]! | SWP W0,W2,[X1] | SWPA W0,W2,[X1] | SWPL W0,W2,[X1] | SWPAL W0,W2,[X1] |
        SWPB W0,W2,[X1] | SWPAH W0,W2,[X1] | SWPALB W0,W2,[X1] | SWP X0,X2,[X1] | CAS W0,W2,[X1] |
        CASA W0,W2,[X1] | CASALB W0,W2,[X1] | LDADD W0,W2,[X1] | LDADDAL W0,WZR,[X1] | STADD W0,[X1] |
        STADDL W0,[X1] | LDCLRA W0,W2,[X1] | LDSETB W0,W2,[X1] | LDEORLH W0,W2,[X1] | LDSMAX W0,W2,[X1] |
        STSETL W0,[X1] | STUMAX W0,[X1] | DMB SY | DMB LD | DMB ST | DMB ISH | DMB ISHLD | DMB ISHST |
        DMB OSH | DSB SY | DSB LD | DSB ST | DSB ISH | ISB | ISB SY | dmb sy | DSB NSHLD | MOV W0,#1 |
        MOV X0,X1 | MOV W0,1 | MOV W0,#0x10 | ADD W0,W0,#1 | ADD X4,X9,W2,SXTW | ADD X0,X1,X2,LSL #2 |
        SUB W0,W0,#1 | EOR W2,W0,W0 | EOR W2,W0,#1 | AND W0,W0,#128 | ANDS W0,W0,#1 | ORR W0,W0,#1 |
        CMP W0,#1 | CMP W0,W2 | CMP X0,X1 | CMN W0,#1 | TST W0,#1 | LSL W0,W0,#1 | MADD W0,W1,W2,W3 |
        MSUB W0,W1,W2,W3 | SBFX W0,W1,#0,#8 | CINV W0,W1,EQ | CNEG W0,W1,NE | CSEL W0,W1,W2,EQ | CSET W0,NE |
        MOVZ W0,#1,LSL #16 | MOVK W0,#1 | MVN W0,W1 | NEG W0,W1 | ROR W0,W1,#3 | UXTW X0,W1 | SXTW X0,W1 |
        UXTB W0,W1 | CBZ W0,L;L: | CBNZ X0,L;L: | B L;L: | B.EQ L;L: | B.NE L;L: | BEQ L;L: | BNE L;L: |
        b.eq L;L: | TBZ W0,#0,L;L: | TBNZ W0,#1,L;L: | B.GE L;L: | B.AL L;L: | NOP | RET |
        PRFM PLDL1KEEP,[X1] | YIELD | WFE | SEV | B.MI L;L: | B.PL L;L: | BVS L;L: | B.VC L;L: | CSET W0,MI |
        CSEL W0,W1,W2,VS | NEGS W0,W1 | SMULL X0,W1,W2 | UMADDL X0,W1,W2,X3 | SMNEGL X0,W1,W2 | MNEG W0,W1,W2 |
        ABS W0,W1 | CLZ W0,W1 | RBIT X0,X1 | REV W0,W1 | REV16 W0,W1 | REV32 X0,X1 | ADR X0,z | MRS X0,NZCV |
        ORR W0,W1,W2,ROR #4 | B .+4 | CBZ W0,.+4 | LDIAPP X0,X2,[X9] | STILP X0,X2,[X9] | BTI""",
    ),
    "ARM": (
        "{0:R1=x;0:R3=y;%z=z;}",
        """LDR R0,[R1] | LDR R0,[R1,#4] | LDR R0,[R1,R2] | LDR R0,[R1,R2,LSL #2] | LDR R0,[R1],#4 |
        LDR R0,[R1,#4]! | LDR R0,[%z] | STR R0,[R1] | STRB R0,[R1] | LDRH R0,[R1] | LDRSB R0,[R1] | LDREX R0,[R1] |
        STREX R2,R0,[R1] | LDA R0,[R1] | STL R0,[R1] | LDAEX R0,[R1] | STLEX R2,R0,[R1] | LDRD R4,R5,[R1] |
        LDRD R4,[R1] | STRD R4,R5,[R1] | LDM R1,{R4,R5} | LDMIB R1,{R4,R5} | DMB | DMB SY | DMB ISH | DMB ST |
        DSB | DSB ISHST | ISB | MOV R0,#1 | MOV R0,R1 | MOVW R0,#1 | MOVT R0,#1 | MVN R0,R1 | ADD R0,R1,#1 |
        ADD R0,#1 | ADDS R0,R1,R2 | SUBS R0,R1,#1 | RSB R0,R1,#0 | EOR R0,R1,R1 | ANDEQ R2,R1,R1 | ORR R0,R1,#1 |
        BIC R0,R1,#1 | CMP R0,#1 | CMP R0,R1 | TST R0,#1 | BNE L;L: | BEQ L;L: | BMI L;L: | B L;L: | CBZ R0,L;L: |
        MOVNE R0,#1 | MOVWEQ R0,#1 | LDRNE R0,[R1] | STREQ R0,[R1] | UXTB R0,R1 | BX LR | NOP | mov r0,#1 |
        LDR IP,[R1] | MOV R0,FP""",
    ),
    "MIPS": (
        "{%x0=x;0:$4=y;}",
        """lw $2,0(%x0) | sw $2,0(%x0) | ld $2,0($4) | sd $2,0($4) | lbu $2,0($4) | lh $2,2($4) | ll $2,0($4) |
        sc $2,0($4) | sync | ori $2,$0,1 | li $2,1 | lui $2,1 | move $v0,$v1 | move v0,v1 | addiu $2,$2,1 |
        daddiu $2,$2,-1 | daddu $2,$2,$3 | subu $2,$2,$3 | xor $2,$2,$2 | and $2,$2,$3 | sll $2,$2,2 | dsll $2,$2,2 |
        slt $2,$3,$4 | sltiu $2,$3,1 | beq $2,$3,L;L: | bne $2,$0,L;L: | beqz $2,L;L: | b L;L: | nop | jr $ra |
        dext $2,$3,1,4 | lw $2,($4)""",
    ),
    "BPF": (
        "{0:r1=x;0:r2=y;}",
        """r3 = *(u32 *)(r1 + 0) | r3 = *(u64*)(r1 - 8) | *(u32 *)(r1 + 0) = 1 | *(u32 *)(r1+0) = r3 | r3 = 7 |
        r3 = r4 | r3 += r4 | r3 &= 1 | r3 -= r3 | store_release((u32 *)(r1 + 0), r3) |
        r3 = load_acquire((u32 *)(r1 + 0)) |
        r3 = atomic_fetch_add((u64*)(r1 + 0), r3) | r3 = xchg_64(r1 + 0, r3) | r0 = cmpxchg_64 (r1 + 0, r0, r3) |
        lock *(u32 *)(r1+0) += r3 | if r3 == 1 goto L;L: | if r3 >= r4 goto L;L: | goto L;L: | exit""",
    ),
    "LISA": (
        "{x=0;y=0;}",
        """r[once] r1 x | r[acquire] r1 x | r[] r1 x | w[once] x 1 | w[release] x r1 | w[] x 1 | f[mb] | f[rmb] |
        f[wmb] | f[rcu_read_lock] | f[rcu_read_unlock] | f[sync] | mov r1 (xor r2 r2) | mov r1 2 | b[] r1 L;L: |
        b[] L;L: | b[eq] r1, 0 L;L: | r[once] r1 x+r2""",
    ),
    "PPC": (
        "{0:r1=x;0:r3=y;}",
        """lwz r5,0(r1) | stw r5,0(r1) | li r5,1 | mr r5,r6 | xor r5,r6,r6 | addi r5,r6,1 | cmpw r5,r6 |
        cmpwi r5,1 | cmpw cr0,r5,r6 | cmpwi cr1,r5,0 | beq L;L: | bne L;L: | bne- L;L: | beq cr0,L;L: |
        bne cr1,L;L: | sync | lwsync | isync | eieio | hwsync | lwarx r5,r0,r1 | lwarx r5,0,r1 |
        stwcx. r5,r0,r1 | ldarx r5,r0,r1 | stdcx. r5,r0,r1 | lwzx r5,r6,r1 | stwx r5,r6,r1 | lbz r5,0(r1) |
        lhz r5,2(r1) | ld r5,0(r1) | std r5,0(r1) | stb r5,1(r1) | sth r5,2(r1) | lbzx r5,r6,r1 |
        stbx r5,r6,r1 | lha r5,0(r1) | lwa r5,0(r1) | rlwinm r5,r6,0,30,1 | rlwinm. r5,r6,0,31,31 |
        rlwinm r5,r6,2,0,31 | and r5,r6,r7 | or r5,r6,r7 | andi. r5,r6,1 | ori r5,r6,1 | xori r5,r6,1 |
        sub r5,r6,r7 | subf r5,r6,r7 | neg r5,r6 | extsw r5,r6 | extsb r5,r6 | extsh r5,r6 | add r5,r6,r7 |
        add. r5,r6,r7 | xor. r5,r6,r6 | slwi r5,r6,2 | nop | b L;L: | lis r5,1 | lwzu r5,4(r1) |
        stwu r5,4(r1) | lwzux r5,r6,r1 | addic. r5,r6,1 | addic r5,r6,1 | subi r5,r6,1 | mulli r5,r6,2 |
        mullw r5,r6,r7 | cmplwi r5,1 | cmpd r5,r6 | cmpdi r5,0 | LI R5,1 | Lwz r5,0(r1) | blt L;L: | sync 0 |
        clrldi r5,r6,32 | la r5,4(r1) | lbarx r5,0,r1 | sthcx. r5,0,r1""",
    ),
    "X86": (
        "{}",
        """MOV [x],$1 | MOV EAX,[x] | mov [x],1 | MOV [x],EAX | MOV EAX,$1 | MFENCE | mfence | XCHG [x],EAX |
        XCHG EAX,[x] | LOCK XCHG [x],EAX | LOCK XADD [x],EAX | LOCK INC [x] | LOCK ADD [x],$1 | LOCK DEC [x] |
        LOCK CMPXCHG [x],EBX | CMP EAX,$1 | CMP [x],$1 | JE L;L: | JNE L;L: | JMP L;L: | JZ L;L: | JNZ L;L: |
        JS L;L: | JNS L;L: | XOR EAX,EAX | ADD EAX,$1 | INC EAX | INC [x] | DEC EAX | NEG EAX | LFENCE |
        SFENCE | MOVL $1,(x) | movl $1,x | MOVB $1,(x) | MOVZX EAX,BYTE PTR [x] | MOVZX EAX,AL | MOVSX EAX,AL |
        LEA EAX,[x] | MOV EAX,DWORD PTR [x] | SETE AL | CMOVE EAX,EBX | LOCK OR [x],$1 | LOCK AND [x],$0 |
        LOCK NOT [x] | TEST EAX,EAX | MOV EAX,0x1 | MOV [x],$-1 | NOP | PAUSE | ENDBR64 |
        NOPL 0(%rax,%rax,1) | XCHG EAX,EBX""",
    ),
    "X86_64": (
        "{uint64_t x;0:rax=x;}",
        """movq $1,(x) | movl $1,(%rax) | movl (%rax),%ebx | movq (x),%rbx | xchgl %ebx,(x) | xchg %rbx,(x) |
        mfence | lock xaddl %ebx,(x) | lock cmpxchgl %ebx,(x) | movb $1,(x) | movw $1,(x) | movzbl (x),%eax |
        movslq %eax,%rbx | movl $1,x(%rip) | incl (x) | lock incl (x) | addq $1,%rbx | xorl %eax,%eax |
        cmpl $1,%eax | jne L;L: | movl 4(%rax),%ebx | movq %rbx,%rcx | MOV [x],$1 | MOV EAX,[x] |
        testl %eax,%eax | negl %eax""",
    ),
    "RISCV": (
        "{0:x5=x;0:x6=y;}",
        """lw x7,0(x5) | sw x7,0(x5) | ld x7,0(x5) | sd x7,0(x5) | lb x7,0(x5) | lbu x7,1(x5) | lh x7,0(x5) |
        lhu x7,2(x5) | lwu x7,0(x5) | sb x7,0(x5) | sh x7,0(x5) | lw.aq x7,0(x5) | lw.aq.rl x7,0(x5) |
        lw.aqrl x7,0(x5) | lw.aq.rl x7,0(x5) | sw.rl x7,0(x5) | sw.aq.rl x7,0(x5) |
        ld.aq x7,0(x5) | sd.rl x7,0(x5) | lr.w x7,0(x5) | lr.w x7,(x5) | lr.w.aq x7,0(x5) | lr.w.rl x7,0(x5) |
        lr.w.aq.rl x7,0(x5) | lr.d x7,0(x5) | lr.d.aq x7,0(x5) | sc.w x8,x7,0(x5) | sc.w.rl x8,x7,0(x5) |
        sc.w.aq x8,x7,0(x5) | sc.w.aq.rl x8,x7,(x5) | sc.d x8,x7,0(x5) | amoadd.w x7,x8,(x5) |
        amoadd.w.aq x7,x8,(x5) | amoswap.w.rl x0,x8,(x5) | amoor.w.aq.rl x7,x0,(x5) | amoxor.d x7,x8,(x5) |
        amoand.w x7,x8,0(x5) | amomax.w x7,x8,(x5) | amomaxu.w x7,x8,(x5) | amominu.d.aqrl x7,x8,(x5) |
        fence r,r | fence r,w | fence r,rw | fence w,r | fence w,w | fence w,rw | fence rw,r | fence rw,w |
        fence rw,rw | fence | fence.tso | fence.i | fence iorw,iorw | fence o,i | FENCE RW,RW |
        fence.tso rw,rw | ori x7,x0,1 | xori x7,x7,1 | andi x7,x7,1 | xor x7,x7,x7 | add x7,x7,x8 |
        addi x7,x7,1 | li x7,1 | bne x7,x0,L;L: | beq x7,x8,L;L: | beqz x7,L;L: | bnez x7,L;L: |
        blt x7,x8,L;L: | bge x7,x8,L;L: | j L;L: | mv x7,x8 | ORI X7,X0,1 | lw a0,0(t0) | sub x7,x7,x8 |
        slli x7,x7,2 | srli x7,x7,2 | srai x7,x7,2 | slt x7,x7,x8 | slti x7,x7,1 | sltu x7,x7,x8 |
        sltiu x7,x7,1 | addw x7,x7,x8 | addiw x7,x7,1 | lui x7,1 | divu x7,x7,x8 | remu x7,x7,x8 | nop |
        jal x0,L;L: | jal L;L: | seqz x7,x8 | snez x7,x8 | sltz x7,x8 | sgtz x7,x8 | not x7,x8 | neg x7,x8 |
        ret | sext.w x7,x8 | zext.w x7,x8 | zext.b x7,x8 | and x7,x8,x9 | or x7,x8,x9""",
    ),
}
REFUSED = {
    "ARM": "SMLABB R0,R1,R2,R3 | LDRD R5,R6,[R1] | DMB FOO | BX R0 | MOVXX R0,#1",
    "MIPS": "mfc0 $2,$3 | lw $2,$3 | jr $4",
    "BPF": "r3 = foo((u32 *)(r1 + 0)) | r3 = *(u33 *)(r1 + 0) | lock *(u32 *)(r1+0) = r3",
    "LISA": "f[lw] | r[special] r1 x | rmw[] r1 x",
    "AArch64": "LDXP X0,X2,[X9] | CASPA X4,X5,X6,X7,[X9] | LDRW W0,[X1] | LDARSB W0,[X1] | STLXP W0,W2,[X1]",
    "PPC": "mfcr r5 | ptesync | lfs f1,0(r1) | lbd r5,0(r1) | rlwinm r5,r6,0",
    "X86": "CLFLUSH [x] | MOVNTI [x],EAX | LOCK MOV [x],$1 | MOV $1,$2",
    "RISCV": "fence tso | sw.aq x7,0(x5) | lw.rl x7,0(x5) | mulh x7,x7,x8 | lw.ac x7,0(x5) | amofoo.w x7,x8,(x5)",
}


def single(arch: str, state: str, code: str, question: str = "exists (x=0)") -> str:
    rows = "\n".join(f" {row} ;" for row in code.split(";"))
    return f"{arch} test\n{state}\n P0 ;\n{rows}\n{question}\n"


@pytest.mark.parametrize("arch", FORMS)
def test_every_form_is_read(arch: str) -> None:
    state, forms = FORMS[arch]
    for form in forms.split("|"):
        program = read(single(arch, state, form.strip()), "t.litmus")
        assert [t.name for t in program.threads] == ["P0"], form
        assert program.condition is not None


@pytest.mark.parametrize("arch", REFUSED)
def test_what_is_refused_is_named_at_its_place(arch: str) -> None:
    for form in REFUSED[arch].split("|"):
        with pytest.raises(FencepostError, match=r"^t\.litmus:4:"):
            read(single(arch, FORMS[arch][0], form.strip()), "t.litmus")


BEYOND = {
    "LDG X0,[X1]": "memory tagging (MTE)",
    "PACDA X0,X1": "pointer authentication",
    "TLBI VAE1IS,X0": "address translation and system registers (VMSA)",
    "IC IVAU,X0": "instruction fetch and cache maintenance",
    "BLR X0": "code addresses and indirect branches",
    "ADR X0,L": "instructions and labels as values (instruction fetch)",
    "UDF #0": "exceptions and faults",
    "SMSTART": "SME",
    "PTRUE P0.S": "SVE",
    "LDR Q0,[X1]": "SIMD and floating point",
}


@pytest.mark.parametrize("form", BEYOND)
def test_an_extension_that_is_beyond_us_is_refused_by_its_name(form: str) -> None:
    with pytest.raises(FencepostError, match=re.escape(f": Fencepost does not treat {BEYOND[form]}")):
        read(single("AArch64", "{0:X1=x;}", form), "t.litmus")


@pytest.mark.parametrize(
    ("state", "question", "what"),
    [
        ("{[PTE(x)]=(oa:PA(x));}", "exists (x=0)", "address translation"),
        ("{0:X1=pte_x;}", "exists (x=0)", "address translation"),
        ("{0:X1=x:red;}", "exists (x=0)", "memory tagging"),
        ("{0:X1=P1:L0;}", "exists (x=0)", "instructions and labels"),
        ('{0:X1=instr:"NOP";}', "exists (x=0)", "instructions and labels"),
        ("{ins_t 0:X1;}", "exists (x=0)", "instructions and labels"),
        ("{}", "exists (Fault(P0:L0,x))", "faults"),
        ("\nVariant=vmsa,fatal\n{0:X1=x;}", "exists (x=0)", "address translation"),
        ("\nVariant=mixed,mte\n{0:X1=x;}", "exists (x=0)", "memory tagging"),
    ],
)
def test_values_and_variants_of_extensions_are_refused_by_name(state: str, question: str, what: str) -> None:
    with pytest.raises(FencepostError, match=f"Fencepost does not treat {what}"):
        read(single("AArch64", state, "NOP", question), "t.litmus")


#: Against a - b, a + b and a & b for all signs and around the borders of 32 bits: each condition as Arm defines it.
_NUMBERS = (0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_ASKED = ("EQ", "NE", "CS", "CC", "MI", "PL", "VS", "VC", "HI", "LS", "GE", "LT", "GT", "LE")


def _flags(name: str, a: int, b: int) -> tuple[bool, bool, bool, bool]:
    """N, Z, C and V by their definition."""
    other = {"CMP": b ^ 0xFFFFFFFF, "CMN": b, "TST": b}[name]
    total = a & b if name == "TST" else a + other + (name == "CMP")
    result = total & 0xFFFFFFFF
    negative = result >> 31 == 1
    if name == "TST":
        return negative, result == 0, False, False
    overflow = bool(~(a ^ other) & (a ^ result) & 0x80000000)
    return negative, result == 0, total >> 32 == 1, overflow


def _holds(condition: str, n: bool, z: bool, c: bool, v: bool) -> bool:
    return {
        "EQ": z, "NE": not z, "CS": c, "CC": not c, "MI": n, "PL": not n, "VS": v, "VC": not v, "HI": c and not z,
        "LS": not c or z, "GE": n == v, "LT": n != v, "GT": not z and n == v, "LE": z or n != v,
    }[condition]  # fmt: skip


@pytest.mark.parametrize("name", ["CMP", "CMN", "TST"])
def test_every_condition_is_what_the_flags_say(name: str) -> None:
    for a in _NUMBERS:
        for b in _NUMBERS:
            state = f"{{uint32_t 0:X1={a}; uint32_t 0:X2={b}; uint32_t 0:X20;}}"
            code = (
                "MOV W20,#0;"
                + f"{name} W1,W2;"
                + ";".join(f"CSET W3,{c};LSL W3,W3,#{k};ORR W20,W20,W3" for k, c in enumerate(_ASKED))
            )
            wanted = sum(_holds(c, *_flags(name, a, b)) << k for k, c in enumerate(_ASKED))
            program = read(single("AArch64", state, code, f"forall (0:X20={wanted})"), "t.litmus")
            assert outcomes(program, "sc").holds, (name, a, b)


_Z = "{uint64_t z=0x500000003; 0:X9=z; 0:X4=7;}"
_P = "{0:r1=x; 0:r5=0x12345678; int x[2]={1,2};}"
VALUES = [
    ("AArch64", _Z, "LDXP W0,W2,[X9]", "0:X0=3 /\\ 0:X2=5"),
    (
        "AArch64",
        _Z,
        "LDAXP W0,W2,[X9];STLXP W3,W2,W0,[X9]",
        "(0:X3=0 /\\ z=12884901893) \\/ (0:X3=1 /\\ z=21474836483)",
    ),
    ("AArch64", _Z, "MOV W0,#3;MOV W1,#5;MOV W2,#1;MOV W3,#2;CASPAL W0,W1,W2,W3,[X9]", "0:X0=3 /\\ z=8589934593"),
    ("AArch64", _Z, "MOV W0,#4;MOV W1,#5;MOV W2,#1;MOV W3,#2;CASP W0,W1,W2,W3,[X9]", "0:X0=3 /\\ z=21474836483"),
    ("AArch64", _Z, "MOV W1,#3;MADD W0,W4,W1,W1;MSUB W2,W1,W1,W4", "0:X0=24 /\\ 0:X2=4294967294"),
    ("AArch64", _Z, "MOV W1,#255;SBFX W0,W1,#4,#4;UBFX W2,W1,#4,#4", "0:X0=4294967295 /\\ 0:X2=15"),
    ("AArch64", _Z, "ROR W0,W4,#1;ROR X2,X4,#0", "0:X0=2147483651 /\\ 0:X2=7"),
    ("AArch64", _Z, "CMP W4,#7;CINC W0,W4,EQ;CINV W1,W4,NE;CNEG W2,W4,EQ", "0:X0=8 /\\ 0:X1=7 /\\ 0:X2=4294967289"),
    ("AArch64", "{%a=x; %b=y; x=5;}", "LDR W0,[%a];STR W0,[%b]", "y=5"),
    (
        "PPC",
        _P,
        "rlwinm r6,r5,8,0,31;rlwinm r7,r5,0,24,31;rlwinm r8,r5,0,28,3",
        "0:r6=878082066 /\\ 0:r7=120 /\\ 0:r8=268435464",
    ),
    ("PPC", _P, "li r6,-1;rlwimi r6,r5,4,28,31;li r7,0;rlwimi r7,r5,8,24,31", "0:r6=-15 /\\ 0:r7=18"),
    ("PPC", _P, "li r6,1;beq L;li r6,2;L:", "0:r6=2"),
    ("PPC", _P, "li r6,1;bgt L;li r6,2;L:", "0:r6=2"),
    ("PPC", _P, "li r6,1;ble L;li r6,2;L:", "0:r6=1"),
    ("PPC", _P, "li r6,1;cmpw r5,r5;beq L;li r6,2;L:", "0:r6=1"),
    ("PPC", _P, "li r2,128;extsb r6,r2;clrlwi r7,r5,16;la r8,4(r1)", "0:r6=-128 /\\ 0:r7=22136 /\\ 0:r8=x[1]"),
    ("PPC", _P, "lwzu r6,4(r1);lwz r7,0(r1)", "0:r6=2 /\\ 0:r7=2 /\\ 0:r1=x[1]"),
    ("PPC", _P, "li r2,4;stwux r2,r1,r2;sync 0", "x[1]=4 /\\ 0:r1=x[1]"),
    ("X86", "{x=254;}", "MOVZX EAX,BYTE PTR [x];MOVSX EBX,AL;NEG EBX", "0:EAX=254 /\\ 0:EBX=2"),
    ("X86", "{}", "MOV EAX,$1;JMP .L3;MOV EAX,$2;.L3: NOP", "0:EAX=1"),
    ("AArch64", _Z, "MOV W0,#1;B .text;MOV W0,#2;.text:", "0:X0=1"),
    ("RISCV", "{}", "li x5,1;j .L2;li x5,2;.L2:", "0:x5=1"),
    ("X86", "{}", "movl $1,x;MOV EAX,[x];SUB EAX,$2;JS L;MOV [x],$3;L:", "x=1"),
    (
        "RISCV",
        "{0:x5=x; 0:x7=-1;}",
        "zext.w x8,x7;sltz x9,x7;not x10,x7;jal x0,L;li x9,5;L:",
        "0:x8=4294967295 /\\ 0:x9=1",
    ),
    (
        "RISCV",
        "{0:x5=x;}",
        "lr.w.rl x7,0(x5);li x8,3;sc.w.aq x9,x8,0(x5);lw.aq.rl x10,0(x5)",
        "0:x9=0 /\\ 0:x10=3 \\/ 0:x9=1",
    ),
    (
        "AArch64",
        "{uint64_t 0:X1=0x87654321;uint64_t 0:X2;uint64_t 0:X3;}",
        "RBIT W2,W1;REV16 W3,W1",
        "0:X2=2227349217 /\\ 0:X3=1703354691",
    ),
    (
        "AArch64",
        "{0:X1=0x1234567;0:X0=0x89ABCDEF;0:X5=0x8000000000000010;uint64_t 0:X6;}",
        "EXTR W2,W1,W0,#16;EXTR W3,W1,W1,#0;MOV X4,#68;ASRV X6,X5,X4;LSRV W7,W1,W4;RORV W8,W1,W4",
        "0:X2=0x456789ab /\\ 0:X3=0x1234567 /\\ 0:X6=0xf800000000000001 /\\ 0:X7=0x123456 /\\ 0:X8=0x70123456",
    ),
    ("AArch64", "{x=7;uint64_t %P0_x=x;}", "LDR W1,[X%P0_x];MOV W%a,W1;ADD W2,W%a,W%a", "0:X1=7 /\\ 0:X2=14"),
    ("AArch64", "{0:X1=-3;}", "ABS W2,W1;CLZ W3,W2;SMULL X4,W1,W2", "0:X2=3 /\\ 0:X3=30 /\\ 0:X4=-9"),
    ("AArch64", "{}", "B .+8;MOV W0,#1;ADD W0,W0,#2", "0:X0=2"),
    ("AArch64", "{0:X1=x;int x[2]={4,42};}", "ADR X0,x;LDR W2,[X0,#4];STR W2,[X1]", "x={42,42}"),
    (
        "ARM",
        "{int x[2]={1,2};0:R0=x;}",
        "LDM R0,{R1,R2};CMP R1,R2;MOVLT R3,#5;MOVGE R3,#6;SUBS R4,R1,#1;ADDEQ R4,R4,#9",
        "0:R2=2 /\\ 0:R3=5 /\\ 0:R4=9",
    ),
    (
        "ARM",
        "{0:R1=x;x=5;}",
        "LDREX R0,[R1];ADD R0,R0,#1;STREX R2,R0,[R1];MOVT R3,#1",
        "(0:R2=0 /\\ x=6 \\/ 0:R2=1 /\\ x=5) /\\ 0:R3=65536",
    ),
    ("ARM", "{0:R1=x;x=5;0:R3=y;}", "ldr R0,R1;add R0,R0,1;str R0,R3", "0:R0=6 /\\ y=6 /\\ x=5"),
    (
        "MIPS",
        "{0:$4=x;x=-1;}",
        "lw $2,0($4);lui $3,65535;addiu $5,$0,65535;sltu $6,$0,$2",
        "0:$2=-1 /\\ 0:$3=-65536 /\\ 0:$5=-1 /\\ 0:$6=1",
    ),
    ("MIPS", "{0:$2=5;0:$3=2;}", "nor $5,$2,$3;nor $6,$2,$0", "0:$5=-8 /\\ 0:$6=-6"),
    (
        "BPF",
        "{0:r1=x;x=4;}",
        "r2 = 1;r2 |= 2;lock *(u64 *)(r1 + 0) |= r2;r3 = r2;r3 ^= 1",
        "0:r2=3 /\\ x=7 /\\ 0:r3=2",
    ),
    ("MIPS", "{0:$4=x;}", "ll $2,0($4);li $3,7;sc $3,0($4)", "0:$3=1 /\\ x=7 \\/ 0:$3=0 /\\ x=0"),
    (
        "BPF",
        "{0:r1=x;x=3;}",
        "r0 = 3;r2 = 9;r0 = cmpxchg_64(r1 + 0, r0, r2);r3 = 1;lock *(u64 *)(r1 + 0) += r3;if r0 == 3 goto L;r3 = 8;L:",
        "0:r0=3 /\\ x=10 /\\ 0:r3=1",
    ),
]


@pytest.mark.parametrize(("arch", "state", "code", "truth"), VALUES)
def test_what_it_computes(arch: str, state: str, code: str, truth: str) -> None:
    program = read(single(arch, state, code, f"forall ({truth})"), "t.litmus")
    found = outcomes(program, NATURAL[program.arch])
    assert found.holds, found.states


def test_a_register_that_only_its_mark_names_may_be_set_by_the_code() -> None:
    """As diy writes it for MIPS: `%x0` is given, `%T1` is computed."""
    text = """MIPS symbolic
{ %x0=x; }
 P0            ;
 ori $2,$0,1   ;
 addu %T1,$0,%x0 ;
 sw $2,0(%T1)  ;
forall (x=1)
"""
    assert outcomes(read(text, "symbolic.litmus"), "mips").holds


_PLAIN = """C plain
(*
 * Result: Sometimes DATARACE
 *)
{ }
P0(int *x, int *y) { int r1; r1 = *x; *y = r1; }
P1(int *x, int *y) { int r1; r1 = *y; *x = r1; }
exists (0:r1=1)
"""


def test_plain_accesses_with_a_result_of_the_kernel_are_the_kernels() -> None:
    """To C11 such a test races and means nothing; to the kernel it has executions."""
    assert read(_PLAIN, "plain.litmus").arch is Arch.LKMM
    assert read(_PLAIN.replace("Result:", "Note:"), "plain.litmus").arch is Arch.C11
    atomic = _PLAIN.replace("int *x", "atomic_int *x").replace("r1 = *x", "r1 = atomic_load(x)")
    assert read(atomic, "plain.litmus").arch is Arch.C11
