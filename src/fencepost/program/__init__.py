"""The waist of the house: `Program`, its instructions, its text form, its encoding, its passes."""
