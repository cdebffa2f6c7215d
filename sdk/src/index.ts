/** The typed client of Daybook, for Node 20 and later and for browsers. */
export { createClient } from './client.ts';
export { ConnectionError, type ProblemCode, ProblemError } from './errors.ts';
export { OPERATIONS } from './generated/api.ts';
export type {
  Answer,
  Arguments,
  Auth,
  Body,
  ClientOptions,
  Data,
  Daybook,
  FeedEvent,
  Item,
  Operation,
  OperationId,
  PagedOperationId,
  Problem,
  Schemas,
  StreamArguments,
  TextAnswer,
} from './types.ts';
export { verifyWebhook, WebhookError, type WebhookFault, type WebhookMessage, type WebhookRequest } from './webhook.ts';
