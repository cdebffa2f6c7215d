/** The engine's reader for the body or query of a request: all its mistakes are reported in one problem. */
import { randomUUID } from 'node:crypto';
import { type Mistakes, Reader } from '../../core/reader.ts';
import { Problem } from './problems.ts';

export class RequestReader extends Reader {
  /** The source of ids that the caller leaves to the service: the same whenever the same request is read again. */
  readonly fresh: string;

  constructor(fresh: string = randomUUID()) {
    super();
    this.fresh = fresh;
  }

  /** Throws if there was any mistake; after it, every value is valid. */
  done(): void {
    if (!this.isClean) throw mistakesProblem(this);
  }
}

export function mistakesProblem({ mistakes, detail }: Mistakes): Problem {
  const [first] = mistakes;
  if (first === undefined) return new Problem('invalid_request', detail ?? 'The request is not valid.');
  const rest = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more)` : '';
  return new Problem('invalid_request', `${first.pointer}: ${first.detail}${rest}`, { errors: [...mistakes] });
}
