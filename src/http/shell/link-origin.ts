/**
 * The address in links that others will open: invitations, callbacks. Without `PUBLIC_URL` it could only come from the Host header, which
 * whoever calls may choose: a link to another host would carry its secret there. So only this machine's own names are taken from it.
 */
import type { FastifyRequest } from 'fastify';
import { Problem } from '../shared/problems.ts';

export function linkOrigin(publicUrl: string | null, request: Pick<FastifyRequest, 'protocol' | 'headers'>): string {
  if (publicUrl !== null) return publicUrl;
  const origin = `${request.protocol}://${request.headers.host ?? ''}`;
  if (URL.canParse(origin) && isLoopback(new URL(origin).hostname)) return origin;
  throw new Problem(
    'conflict',
    'No link can be made: the operator has to set PUBLIC_URL to the address of this service. Without it links are made only at localhost.',
  );
}

const isLoopback = (host: string): boolean => /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
