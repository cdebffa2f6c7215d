/** The people of an application, as a bureau is asked about them. */
import type { BureauSubject } from './bureau.ts';

/** The people the bureau is asked about. Null: the application names none. */
export function subjectsOf(request: unknown): BureauSubject[] | null {
  const applicant = textsIn(request, 'ApplicantInfo');
  const other = textsIn(request, 'CoApplicantInfo');
  if (digitsOf(applicant('ApplicantSSN')).length === 0) return null;
  const primary: BureauSubject = {
    role: 'primary',
    firstName: applicant('ApplicantFirstName'),
    lastName: applicant('ApplicantLastName'),
    middleInitial: applicant('MiddleInitial'),
    ssn: applicant('ApplicantSSN'),
    dateOfBirth: applicant('ApplicantDOB'),
    address: applicant('ApplicantAddress'),
    city: applicant('ApplicantCity'),
    state: applicant('ApplicantState'),
    zip: applicant('ApplicantZip'),
  };
  if (!namesCoApplicant(request)) return [primary];
  const unknown = {
    firstName: '',
    lastName: '',
    middleInitial: '',
    dateOfBirth: '',
    address: '',
    city: '',
    state: '',
    zip: '',
  };
  return [primary, { ...unknown, role: 'coApplicant', ssn: other('CoApplicantSSN') }];
}

/** The same people, as a screening is asked about them: with all that the application says of a co-applicant. */
export function screenedIn(request: unknown): BureauSubject[] {
  const other = textsIn(request, 'CoApplicantInfo');
  return (subjectsOf(request) ?? []).map((subject) =>
    subject.role === 'primary'
      ? subject
      : {
          ...subject,
          firstName: other('CoApplicantFirstName'),
          lastName: other('CoApplicantLastName'),
          middleInitial: other('MiddleInitial'),
          dateOfBirth: other('CoApplicantDOB'),
          address: other('CoApplicantAddress'),
          city: other('CoApplicantCity'),
          state: other('CoApplicantState'),
          zip: other('CoApplicantZip'),
        },
  );
}

export function namesCoApplicant(request: unknown): boolean {
  return digitsOf(textsIn(request, 'CoApplicantInfo')('CoApplicantSSN')).length > 0;
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Strings of an object of `Request`, '' where there is none. */
export function textsIn(request: unknown, name: string): (member: string) => string {
  const object = (request as Record<string, unknown> | null)?.[name] as Record<string, unknown> | null | undefined;
  return (member) => {
    const value = object?.[member];
    return typeof value === 'string' ? value.trim() : '';
  };
}
