/** Content codings (RFC 9110 section 8.4): which one an answer is sent in, and how its headers show that. */
import type { FastifyReply } from 'fastify';

/** The codings of answers, the cheapest of the processor first: where a caller takes several equally, it gets the first. */
export const CODINGS = ['zstd', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

export type Accepted = {
  /** Null: the caller takes none of those that are offered. */
  readonly coding: Coding | null;
  /** Whether it takes an answer as it is. */
  readonly plain: boolean;
};

const PLAIN: Accepted = { coding: null, plain: true };

/** Whether a caller refuses an answer as it is; almost none does. */
export const refusesPlain = (header: string | undefined | null): boolean =>
  header?.includes('=0') === true && !acceptedCoding(header).plain;

/** By the caller's weights, then in the order of `offered`. A caller that says nothing gets the answer as it is. */
export function acceptedCoding(header: string | undefined | null, offered: readonly Coding[] = CODINGS): Accepted {
  if (!header) return PLAIN;
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    // A weight that is none is not obeyed: nothing is sent in a coding that the caller may not take.
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight >= 0 && weight <= 1 ? weight : 0);
  }
  const others = weights.get('*');
  let best: { coding: Coding; weight: number } | null = null;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others ?? 0;
    if (weight > (best?.weight ?? 0)) best = { coding, weight };
  }
  const identity = weights.get('identity');
  const plain = (identity ?? others ?? 1) > 0;
  // `identity;q=1, gzip;q=0.5` prefers the answer as it is. Unless it is named, every coding that is goes before it.
  if (best !== null && identity !== undefined && identity > best.weight) return PLAIN;
  return { coding: best?.coding ?? null, plain };
}

/**
 * The tag of a coded answer. Its bytes are not those of the plain one, so it is weak (RFC 9110 section 8.8.3.3); `If-None-Match` compares
 * weakly, and finds both.
 */
export const codedTag = (etag: string): string => (etag.startsWith('W/') ? etag : `W/${etag}`);

/** The tag of a 304: as the caller has it, so that a cache finds the answer that it stored. */
export function tagHeld(header: string | undefined, etag: string): string {
  const coded = codedTag(etag);
  return header?.split(',').some((tag) => tag.trim() === coded) ? coded : etag;
}

/** For caches: another caller may get other bytes. */
export function vary(reply: FastifyReply): void {
  reply.header('Vary', [reply.getHeader('Vary') ?? [], 'Accept-Encoding'].flat().join(', '));
}
