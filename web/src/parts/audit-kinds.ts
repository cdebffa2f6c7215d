import type { Tone } from './basics.tsx';

/** Labels of the kinds of audit entries. */
export const AUDIT_KINDS: Readonly<Record<string, { text: string; tone: Tone }>> = {
  did: { text: 'Done', tone: 'neutral' },
  tried: { text: 'Refused', tone: 'late' },
  saw: { text: 'Viewed', tone: 'info' },
};
