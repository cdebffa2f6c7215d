/** Loaded into a process with --import: its clock is CLOCK_SHIFT_MS ahead of the machine's, as if somebody had set it wrong. */
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const { now } = Date;
const shifted = () => now() + shift;
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [shifted()] : given));
  }
  static now() {
    return shifted();
  }
};
