/**
 * The single list of personal data. Everything it names is sealed or withheld from everyone outside the loan's own organization, and none
 * of its values may appear in the public record, a log line, an event, an error or the ledger.
 *
 * A pointer is a JSON pointer (RFC 6901) into the `data` of the full record, or of the read that `of` names; `*` stands for one member or element, `**` for everything
 * below.
 */
export type PersonalField = {
  readonly pointer: string;
  /** Another read that shows it; absent: the full record. */
  readonly of?: string;
  readonly why: string;
  /** The form of the field in the public record. */
  readonly inPublic: 'nothing' | 'an empty value' | 'a masked value' | 'a coarse value';
};

export const PERSONAL: readonly PersonalField[] = [
  {
    pointer: '/Request/**',
    why: 'the application: name, date of birth, social security number, addresses, phones, employer and income of the applicants',
    inPublic: 'nothing',
  },
  {
    pointer: '/Response/**',
    why: 'the assessment of this person: scores, comments, reasons for declining, conditions',
    inPublic: 'nothing',
  },
  {
    pointer: '/Underwriting/PrimaryCreditInfo/**',
    why: 'the credit bureau’s data on the applicant',
    inPublic: 'nothing',
  },
  {
    pointer: '/Underwriting/PrimaryCreditBureauPDF',
    why: 'the bureau’s report on the applicant, with name and addresses',
    inPublic: 'nothing',
  },
  {
    pointer: '/Underwriting/PrimaryCreditBureauTradeLines',
    why: 'the applicant’s accounts with other lenders',
    inPublic: 'nothing',
  },
  {
    pointer: '/Underwriting/CoApplicantCreditBureauPDF',
    why: 'the bureau’s report on the co-applicant',
    inPublic: 'nothing',
  },
  {
    pointer: '/Underwriting/CoApplicantCreditBureauTradeLines',
    why: 'the co-applicant’s accounts with other lenders',
    inPublic: 'nothing',
  },
  {
    pointer: '/Underwriting/UnderwritingInfo/*/AllWarnings',
    why: 'warnings about the applicant, in free text',
    inPublic: 'an empty value',
  },
  {
    pointer: '/Underwriting/UnderwritingInfo/*/DecisionReason',
    why: 'why the applicant was approved or declined',
    inPublic: 'an empty value',
  },
  {
    pointer: '/Underwriting/UnderwritingInfo/*/DecisionReasonSimple',
    why: 'why the applicant was approved or declined',
    inPublic: 'an empty value',
  },
  {
    pointer: '/Underwriting/DealTermsInfo/*/TermsPTI',
    why: 'together with the payment it reveals the income',
    inPublic: 'a coarse value',
  },
  {
    pointer: '/Underwriting/DealTermsInfo/*/TermsDTI',
    why: 'together with the payment it reveals income and debts',
    inPublic: 'a coarse value',
  },
  {
    pointer: '/loanDetails/borrowerId',
    why: 'the lender’s reference for the person: in the lender’s files it leads to the name',
    inPublic: 'an empty value',
  },
  {
    pointer: '/loanDetails/lendingDecisionReason',
    why: 'the reason for the lending decision, in free text',
    inPublic: 'an empty value',
  },
  {
    pointer: '/loanDetails/applicantCreditVision',
    why: 'a summary of the applicant’s credit, in free text',
    inPublic: 'an empty value',
  },
  {
    pointer: '/loanDetails/coApplicantCreditVision',
    why: 'a summary of the co-applicant’s credit, in free text',
    inPublic: 'an empty value',
  },
  {
    pointer: '/loanDetails/loanInfo/*/vin',
    why: 'it identifies the vehicle’s owner; its first eleven characters identify only the model',
    inPublic: 'a masked value',
  },
  {
    pointer: '/loanDetails/metadata/*/pti',
    why: 'together with the payment it reveals the income',
    inPublic: 'a coarse value',
  },
  {
    pointer: '/loanDetails/metadata/*/dti',
    why: 'together with the payment it reveals income and debts',
    inPublic: 'a coarse value',
  },
  {
    pointer: '/items/*/details/**',
    of: 'GET /loans/{loan_id}/holds',
    why: 'the case, the court, the attorney or representative of the borrower, and notes in free text',
    inPublic: 'nothing',
  },
  {
    pointer: '/items/*/reason',
    of: 'GET /loans/{loan_id}/holds',
    why: 'the reason of a hold, in free text',
    inPublic: 'nothing',
  },
  {
    pointer: '/borrower/**',
    of: 'GET /loans/{loan_id}/identity',
    why: 'the borrower, masked: first name and an initial, the last four digits of numbers, one letter of the e-mail address',
    inPublic: 'nothing',
  },
  {
    pointer: '/coBorrower/**',
    of: 'GET /loans/{loan_id}/identity',
    why: 'the co-borrower, masked like the borrower',
    inPublic: 'nothing',
  },
  {
    pointer: '/vehicle/vinLastFour',
    of: 'GET /loans/{loan_id}/identity',
    why: 'the last four characters of the VIN, which the public record masks',
    inPublic: 'nothing',
  },
  {
    pointer: '/customData/**',
    of: 'GET /loans/{loan_id}/custom-data',
    why: 'what the owner keeps with the loan, in its own words',
    inPublic: 'nothing',
  },
  {
    pointer: '/items/*/email',
    of: 'GET /users',
    why: 'the e-mail address of a person of the organization; sealed apart from loans (access/people)',
    inPublic: 'nothing',
  },
  {
    pointer: '/items/*/name',
    of: 'GET /users',
    why: 'the name of a person of the organization',
    inPublic: 'nothing',
  },
  {
    pointer: '/email',
    of: 'GET /session',
    why: 'the e-mail address of the person who is signed in',
    inPublic: 'nothing',
  },
  {
    pointer: '/name',
    of: 'GET /session',
    why: 'the name of the person who is signed in',
    inPublic: 'nothing',
  },
];

/** Sealed with the rest, but the same value belongs to the loan and may appear elsewhere too. */
const ALSO_ELSEWHERE: readonly string[] = [
  // The loan's terms and ids.
  '/Request/ApplicationInfo/**',
  '/Request/RequestedTermsInfo/RequestedLoanAmount',
  '/Request/RequestedTermsInfo/RequestedLoanBackendProductsAmount',
  '/Request/RequestedTermsInfo/RequestedLoanDownPayment',
  '/Request/RequestedTermsInfo/RequestedLoanGAP',
  '/Request/RequestedTermsInfo/RequestedLoanPayment',
  '/Request/RequestedTermsInfo/RequestedLoanRate',
  '/Request/RequestedTermsInfo/RequestedLoanTerm',
  '/Response/ApplicationID',
  '/Response/ApplicationType',
  '/Response/Date',
  '/Response/Decision',
  '/Response/DecisionDate',
  '/Response/LoanTerms/**',
  // The vehicle, as the public `loanInfo` shows it.
  '/Request/VehicleInfo/VehicleAge',
  '/Request/VehicleInfo/VehicleMake',
  '/Request/VehicleInfo/VehicleMileage',
  '/Request/VehicleInfo/VehicleModel',
  '/Request/VehicleInfo/VehicleRetailValue',
  '/Request/VehicleInfo/VehicleWholesaleValue',
  '/Request/VehicleInfo/VehicleYear',
];

/** Words that identify no one. */
const GENERIC =
  /^(approved|declined|complete|completed|pending|none|null|true|false|unknown|other|auto|autoloan|employed|retired|full.?time|part.?time|self.?employed|rent|own|mortgage|hit|no.?hit)$/i;
const ZERO = /^[0.,]+$/;
/** A date identifies no one, unless it is a date of birth. */
const DAY = /^\d{4}-\d\d-\d\d$/;
const BIRTH = /dob|birth/i;
const SHORTEST = 4;
const LONGEST = 120;

/**
 * Every personal text of a full record that would be a leak anywhere else: texts shorter than four characters and those that
 * identify no one are left out. Long texts are taken line by line, and long lines by a piece of their middle, because a leak may be
 * partial.
 */
export function personalValues(record: unknown): string[] {
  const found = new Set<string>();
  for (const { path, text } of leaves(record, [])) {
    const field = FIELDS.find(({ pattern }) => matches(pattern, path));
    if (field === undefined || ELSEWHERE.some((pattern) => matches(pattern, path))) continue;
    // A fraction in whole percent is already rounded.
    if (field.inPublic === 'a coarse value' && /^\d*(\.\d{0,2}0*)?$/.test(text)) continue;
    for (const line of text.split(/[\r\n]+/)) {
      const middle = Math.floor((line.length - LONGEST) / 2);
      const piece = (middle > 0 ? line.slice(middle, middle + LONGEST) : line).trim();
      const nobodys = GENERIC.test(piece) || ZERO.test(piece) || (DAY.test(piece) && !BIRTH.test(path.at(-1) ?? ''));
      if (piece.length >= SHORTEST && !nobodys) found.add(piece);
    }
  }
  return [...found];
}

type Path = readonly string[];

const pathOf = (pointer: string): Path => pointer.slice(1).split('/');
const FIELDS = PERSONAL.map((field) => ({ ...field, pattern: pathOf(field.pointer) }));
const ELSEWHERE = ALSO_ELSEWHERE.map(pathOf);

function matches(pattern: Path, path: Path): boolean {
  const open = pattern.at(-1) === '**';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? path.length <= fixed.length : path.length !== fixed.length) return false;
  return fixed.every((segment, i) => segment === '*' || segment === path[i]);
}

function* leaves(value: unknown, path: Path): Generator<{ path: Path; text: string }> {
  if (typeof value === 'string' || typeof value === 'number') yield { path, text: String(value) };
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* leaves(inner, [...path, name]);
  }
}
