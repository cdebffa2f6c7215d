/** The engine's reader for the body or query of a request: what is wrong with it is answered with every mistake at once. */
import { type Mistakes, Reader } from '../../core/reader.ts';
import { Problem } from './problems.ts';

export class RequestReader extends Reader {
  /** Throws when anything was wrong. What follows may trust every value. */
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
