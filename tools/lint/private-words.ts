/**
 * Words of our own and what to write instead (docs/glossary.md). An entry covers takenBack, taken_back and "taken back";
 * "gather*" stands for every ending. A name with a standard term is added here once the old one is gone.
 */
export const privateWords: Readonly<Record<string, string>> = {
  'anybody of the firm': 'staff, our team',
  'require movable': 'requireCanMoveMoney',
  'gone at': 'droppedAt',
  'set aside': 'ignored, reserved',
  'take shortfalls': 'recoverDebt',
  'taken back units': 'reversedUnits',
  'made good cents': 'recoveredCents',
}

/** Texts that docs/requirements.md fixes: a private word may stand in them. */
export const specifiedTexts: readonly string[] = []
