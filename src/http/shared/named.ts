/**
 * Schemas with a name of their own. In the code a schema stands where it is used, so that its type and its validation need no lookup; in
 * the OpenAPI document every named one is written once, under `components`, and referred to (`components.ts`). Generated clients take
 * these names for their types.
 */
import { type TProperties, type TSchema, Type } from 'typebox';

/** An object that a client would name: `Installment`, `Payment`. The same name always means the same schema. */
export function shape<P extends TProperties>(name: string, description: string, members: P, options: object = {}) {
  return Type.Object(members, { title: name, description, ...options });
}

/** Any other schema with a name: a list of known values, a union. */
export function named<T extends TSchema>(name: string, schema: T): T {
  return withMembers(schema, { title: name });
}

/** The same schema, described for the member that it is used for. */
export function about<T extends TSchema>(schema: T, description: string): T {
  return withMembers(schema, 'title' in schema ? { 'x-about': description } : { description });
}

/** Typebox keeps what kind a schema is in members that cannot be enumerated. */
export function withMembers<T extends TSchema>(schema: T, members: object): T {
  return Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)), members) as T;
}
