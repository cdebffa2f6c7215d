/** Requests whose body is read on a worker thread, as the event loop sees them. */
import type { Workers } from '../workers/workers.ts';
import type { Answer, Operation } from './shared/operation.ts';
import { Problem } from './shared/problems.ts';
import type * as Work from './thread-work.ts';

/** Processor time that one request may use. What the operations accept keeps it to about half a second; this is the last resort. */
const LIMIT_MS = 2_000;

type Call = Parameters<Operation['handle']>[0];

export type Threads = {
  /** The answer of an operation whose body is the bytes that came. `query` is what is wrong with its query: the body comes first. */
  answer(operation: Operation, call: Call, query: Error | undefined): Promise<Answer>;
};

export function openThreads(workers: Workers): Threads {
  const work = workers.module<typeof Work>(new URL('./thread-work.ts', import.meta.url), { limitMs: LIMIT_MS });
  return {
    async answer(operation, call, query) {
      const bytes = (call.body as Uint8Array | undefined) ?? null;
      const read = await work.run(operation.largeBody ? 'check' : 'answer', ownerOf(call), {
        ...{ id: operation.id, bytes },
        isKeyed: call.headers['idempotency-key'] !== undefined,
      });
      if ('problem' in read) throw problemFrom(read.problem);
      if (query !== undefined) throw query;
      if ('text' in read) return operation.handle({ ...call, body: read.text });
      return operation.handle({ ...call, body: undefined, large: { bytes: bytes as Uint8Array, ...read } });
    },
  };
}

/** The organization whose turn it takes. */
function ownerOf({ caller }: Call): string {
  if (caller === null) throw new Error('An operation without a caller has no thread.');
  return caller.organizationId;
}

function problemFrom({ code, detail, facts, headers }: Work.ThreadProblem): Problem {
  return new Problem(code, detail, facts, headers);
}
