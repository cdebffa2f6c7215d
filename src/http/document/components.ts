/** Named schemas of the OpenAPI document: each is moved to `components` once, and referred to where it is used. See `named.ts`. */

import { type Deprecation, deprecationText, MARK } from '../shared/deprecation.ts';

type Schema = { [keyword: string]: unknown };
type Media = { schema?: Schema };
type Holder = { content?: Record<string, Media>; $ref?: string };
type Parameter = {
  schema?: Schema;
  description?: string;
  in?: string;
  required?: boolean;
  [MARK]?: Deprecation;
};
type Operation = {
  operationId?: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: Holder;
  responses?: Record<string, Holder>;
};
export type OpenApi = {
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, object>;
  components?: { schemas?: Record<string, Schema> } & Record<string, unknown>;
};

export function withNamedSchemas(document: OpenApi): OpenApi {
  const schemas = new Map<string, Schema>();
  const found = Object.entries(document.components?.schemas ?? {});
  for (const [name, schema] of found) keep(name, withoutMarks(inside(schema)));
  const paths = Object.fromEntries(
    Object.entries(document.paths ?? {}).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, described(operation)])),
    ]),
  );
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, paths, components: { ...document.components, schemas: Object.fromEntries(sorted) } };

  function described(operation: Operation): Operation {
    const { operationId = '', summary = '', parameters, requestBody, responses } = operation;
    const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
    return {
      ...operation,
      ...(parameters === undefined ? {} : { parameters: parameters.map(parameter) }),
      ...(requestBody === undefined
        ? {}
        : { requestBody: holding(requestBody, { name: `${name}Request`, description: `Request: ${summary}.` }) }),
      responses: Object.fromEntries(
        Object.entries(responses ?? {}).map(([status, response]) => [
          status,
          holding(response, { name: `${name}Answer`, description: `Answer: ${summary}.` }),
        ]),
      ),
    };
  }

  /** The description of its schema has become the parameter's own. */
  function parameter({ schema: { [MARK]: inside, ...schema } = {}, [MARK]: mark, ...given }: Parameter): Parameter {
    const ends = (mark ?? inside) as Deprecation | undefined;
    const rest = { ...given, ...ending(given, ends), ...untilChosen(given, schema) };
    if (schema.title === undefined) return { ...rest, schema: moved(schema) };
    const { description = '' } = rest;
    return {
      ...rest,
      description: (schema['x-about'] as string | undefined) ?? description,
      schema: moved({ ...schema, description, 'x-about': undefined }),
    };
  }

  /** The whole body of a request or an answer: an object without a name gets that of its operation. */
  function holding(holder: Holder, { name, description }: { name: string; description: string }): Holder {
    if (holder.content === undefined) return holder;
    const content = Object.entries(holder.content).map(([type, { schema, ...media }]) => {
      if (schema === undefined) return [type, media];
      const whole =
        schema.type === 'object' && schema.title === undefined ? { description, ...schema, title: name } : schema;
      return [type, { schema: moved(whole), ...media }];
    });
    return { ...holder, content: Object.fromEntries(content) };
  }

  function moved(schema: Schema): Schema {
    const { title, 'x-about': about } = schema;
    const ends = schema[MARK] as Deprecation | undefined;
    const own = withoutMarks(inside(schema));
    if (typeof title !== 'string') return { ...own, ...ending(own, ends) };
    keep(title, own);
    const use = { $ref: `#/components/schemas/${title}`, ...(about === undefined ? {} : { description: about }) };
    return { ...use, ...ending(use, ends) };
  }

  function keep(name: string, schema: Schema): void {
    const known = schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas have the name ${name}.`);
    }
    schemas.set(name, schema);
  }

  function inside(schema: Schema): Schema {
    return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, within(keyword, value)]));
  }

  /** The schemas that are the value of a keyword; every other value stays as it is. */
  function within(keyword: string, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    switch (keyword) {
      case 'properties':
      case 'patternProperties':
        return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, moved(member)]));
      case 'items':
      case 'additionalProperties':
      case 'propertyNames':
        return moved(value as Schema);
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
      case 'prefixItems':
        return (value as Schema[]).map(moved);
      default:
        return value;
    }
  }
}

/** The marks of a deprecated member or parameter, where it is used. */
function ending({ description }: { description?: unknown }, ends: Deprecation | undefined): object {
  if (ends === undefined) return {};
  const text = [...(typeof description === 'string' ? [description] : []), deprecationText(ends)].join(' ');
  return { description: text, deprecated: true, 'x-sunset': ends.sunset };
}

/**
 * The playground would send the first of the known values of every filter, and so find nothing. An example that is disabled is offered
 * and not sent until a person chooses it. All have the same name, because the page chooses examples of parameters by one name.
 */
function untilChosen({ in: where, required = false }: Parameter, schema: Schema | undefined): object {
  if (where !== 'query' || required || schema === undefined) return {};
  const [first] = schema.type === 'boolean' ? [true] : Array.isArray(schema.enum) ? schema.enum : [];
  return first === undefined ? {} : { examples: { default: { value: first, 'x-disabled': true } } };
}

function withoutMarks({ title, 'x-about': about, [MARK]: ends, ...schema }: Schema): Schema {
  const isText = Array.isArray(schema.enum) && schema.enum.every((value) => typeof value === 'string');
  return isText ? { type: 'string', ...schema } : schema;
}
