"""What of AArch64 is beyond us, by name: one sentence per extension instead of a word that means nothing."""

from __future__ import annotations

import re

#: Mnemonics of an extension that is refused, and the sentence that says so.
_BEYOND = (
    (r"(LDG|STG|STGP|STZG|ST2G|STZ2G|LDGM|STGM|STZGM|IRG|GMI|ADDG|SUBG|SUBPS?)\Z", "memory tagging (MTE)"),
    (r"(PAC|AUT|XPAC|RETA|BRA|BLRA|LDRA)", "pointer authentication"),
    (r"(TLBI|AT|ERET|MSR|MRS|SYS)\Z", "address translation and system registers (VMSA)"),
    (r"(IC|DC)\Z", "instruction fetch and cache maintenance"),
    (r"(BL|BLR|BR)\Z", "code addresses and indirect branches"),
    (r"(UDF|SVC|HVC|SMC|BRK)\Z", "exceptions and faults"),
    (r"(GCS|RETGCS)", "guarded control stacks"),
    (r"(SMSTART|SMSTOP|ZERO|ADDHA|ADDVA|MOVA|RDSVL|ADDSVL)\Z", "SME"),
    (r"(PTRUE|WHILE..|LD[1-4][BHWD]|ST[1-4][BHWD]|UADDV|INDEX|INC[BHWD]|DEC[BHWD]|CNT[BHWD]|RDVL|ADDVL|UZP[12]|TRN[12]|"
     r"MOVPRFX|CTERM..|PFALSE|SETFFR|RDFFR|SEL|REVD?|PSEL)\Z", "SVE"),
    (r"(LD[1-4]R?|ST[1-4]|LDAP1|STL1|FMOV|DUP|SMOV|UMOV|MOVI|ADDV|UMAXV|EOR3|FADD)\Z", "SIMD and floating point"),
    (r"(ALIGN[UD]|SEAL|BUILD|CHK|CPY|CSEAL|GC|SC|LDCT|STCT|UNSEAL|CLRTAG|LDAXCT)", "Morello's capabilities"),
    (r"(CPY|SET)[FGPME]", "memory copies of unknown size (MOPS)"),
)  # fmt: skip
#: What is said of `ADR X0,label`.
NO_CODE = "an address of code: Fencepost does not treat instructions and labels as values (instruction fetch)"
_REGISTERS = (
    (r"[zZ]\d+(\.[bhsdqBHSDQ])?\Z|[pP]\d+(\.[bhsdBHSD]|/[mzMZ])?\Z", "SVE"),
    (r"[zZ][aA]\d*", "SME"),
    (r"[vVqQdDsShHbB]\d+(\.\w+)?\Z", "SIMD and floating point"),
    (r"[cC]\d+\Z|CSP\Z", "Morello's capabilities"),
    (r"\w+_EL[0-3]\Z", "address translation and system registers (VMSA)"),
)


def instruction_beyond(mnemonic: str) -> str:
    """The extension that an instruction belongs to and that is not supported; empty where we know of none."""
    return next((what for pattern, what in _BEYOND if re.match(pattern, mnemonic.upper())), "")


def register_beyond(name: str) -> str:
    """The same for a register."""
    return next((what for pattern, what in _REGISTERS if re.match(pattern, name)), "")
