/** The progress of a long command: a progress bar on a terminal, otherwise a line every five seconds. Both go to standard error. */
export type Progress = { readonly part: string; readonly done: number; readonly total: number };

export function openProgress(): { step(progress: Progress): void; clear(): void } {
  const { stderr } = process;
  const every = stderr.isTTY ? 100 : 5_000;
  let next = performance.now() + every;
  let began = { part: '', at: 0 };
  return {
    step({ part, done, total }) {
      const now = performance.now();
      if (part !== began.part) began = { part, at: now };
      if (now < next) return;
      next = now + every;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const left = Math.round(((now - began.at) / 1_000) * (1 / Math.max(share, 0.001) - 1));
      const text = `${part} ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}, about ${left} s left`;
      if (!stderr.isTTY) console.error(text);
      else stderr.write(`\r\x1b[K[${'#'.repeat(Math.round(share * 30)).padEnd(30)}] ${text}`);
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}
