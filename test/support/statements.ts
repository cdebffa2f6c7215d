/**
 * The statements of `src/store`: each call of `query` with the texts that it may send and the row type that it declares, as the compiler sees it.
 * A text is evaluated where it stands: constants and functions of the module are those of the module itself, local constants are followed,
 * and a local value of few possibilities (a union of literals, a boolean) takes each of them.
 */
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CallExpression,
  isArrowFunction,
  isBindingElement,
  isCallExpression,
  isForOfStatement,
  isFunctionDeclaration,
  isIdentifier,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isSourceFile,
  isVariableDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API, type Checker, type Type, TypeFlags, type UnionType } from 'typescript/unstable/sync';

/** A member of a row type. */
export type Member = {
  name: string;
  /** The types of its values without null: `string`, `Date`, `number[]`, `unknown`. */
  values: string[];
  nullable: boolean;
  optional: boolean;
};

export type Statement = {
  /** The file in `src/store`, and the function or constant at its top that the call is in. */
  where: string;
  /** `src/store/door/loans.ts:64` */
  place: string;
  texts: string[];
  /** The part of the text that was not evaluated; null: nothing. */
  unknown: string | null;
  /** Null: the call declares no row type. */
  row: Member[] | null;
  /** It has members beside those, by an index signature. */
  open: boolean;
  /** False: the row type is a parameter, or there is none. */
  isTyped: boolean;
};

const ROOT = join(import.meta.dirname, '../..');
const STORE = 'src/store/';
/** The most texts that one call may have here. */
const VARIANTS = 64;

/** The message is the part of the source that cannot be evaluated. */
class Unknown extends Error {}

/** Calls the function that a text is with some values. */
type Evaluate = (code: string, values: readonly unknown[]) => unknown;

/** Modules of the store are given an export that evaluates a text among their own names. Before any of them is loaded. */
export function makeEvaluable(): void {
  const exported = '\nexport const evaluateHere = (code, values) => eval(code)(...values);';
  const ours = pathToFileURL(join(ROOT, STORE)).href;
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith(ours)) return next(url, context);
      const source = stripTypeScriptTypes(readFileSync(new URL(url), 'utf8'));
      return { format: 'module', source: `${source}${exported}`, shortCircuit: true };
    },
  });
}

const load = createRequire(import.meta.url);

export function collectStatements(): Statement[] {
  const config = join(ROOT, 'tsconfig.json');
  // The store and what it imports, not the whole project: a second in place of three.
  const readFile = (path: string) =>
    path === config ? readFileSync(config, 'utf8').replace(/"include": \[.*\]/, `"include": ["${STORE}"]`) : undefined;
  const api = new API({ cwd: ROOT, fs: { readFile } });
  try {
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    if (project === undefined) throw new Error('tsconfig.json makes no project.');
    const { checker, program } = project;
    const found: Statement[] = [];
    for (const path of program.getSourceFileNames()) {
      const name = relative(ROOT, path).replaceAll('\\', '/');
      if (!name.startsWith(STORE) || name.endsWith('.test.ts')) continue;
      const file = program.getSourceFile(path);
      if (file === undefined || !/\bquery(ByVolume)?\b/.test(file.text)) continue;
      const { evaluateHere: evaluate } = load(path) as { evaluateHere: Evaluate };
      for (const call of callsIn(file)) {
        found.push(statementOf(call, file, name, checker, evaluate));
      }
    }
    return found;
  } finally {
    api.close();
  }
}

function callsIn(file: SourceFile): CallExpression[] {
  const calls: CallExpression[] = [];
  const walk = (node: Node) => {
    if (isCallExpression(node) && textArgument(node) !== undefined) calls.push(node);
    node.forEachChild(walk);
  };
  walk(file);
  return calls;
}

/** The argument of a call that has the text, or the texts by kind of server. */
function textArgument({ expression, arguments: given }: CallExpression): Node | undefined {
  if (isPropertyAccessExpression(expression) && expression.name.text === 'query') return given[0];
  if (isIdentifier(expression) && expression.text === 'queryByVolume') return given[1];
  return undefined;
}

function statementOf(
  call: CallExpression,
  file: SourceFile,
  name: string,
  checker: Checker,
  evaluate: Evaluate,
): Statement {
  const { expression } = call;
  const at = isPropertyAccessExpression(expression) ? expression.name : expression;
  const line = file.text.slice(0, at.end).split('\n').length;
  const where = `${name.slice(STORE.length)} ${topOf(call)}`;
  const row = rowTypeOf(call, checker);
  if (row === null)
    return { where, place: `${name}:${line}`, texts: [], unknown: null, row: null, open: false, isTyped: false };
  const members = checker.getPropertiesOfType(row).map((symbol) => {
    const type = checker.getTypeOfSymbol(symbol);
    if (type === undefined) throw new Error(`${where}: ${symbol.name} has no type.`);
    return memberOf(symbol.name, type, checker);
  });
  const open = checker.getIndexInfosOfType(row).length > 0;
  const common = { where, place: `${name}:${line}`, row: members.length === 0 ? null : members, open, isTyped: true };
  try {
    const values = valuesOf(textArgument(call) as Node, { file, checker, evaluate });
    const texts = values.flatMap((value) => (typeof value === 'string' ? [value] : Object.values(value as object)));
    return { ...common, texts: [...new Set(texts as string[])], unknown: null };
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    return { ...common, texts: [], unknown: error.message };
  }
}

/** R of a call whose type is Promise<R[]>; null: a type parameter, or no such type. */
function rowTypeOf(call: CallExpression, checker: Checker): Type | null {
  let type = checker.getTypeAtLocation(call);
  for (let depth = 0; depth < 2; depth++) {
    if (type?.isTypeReference() !== true) return null;
    [type] = checker.getTypeArguments(type);
  }
  return type === undefined || type.flags & (TypeFlags.TypeParameter | TypeFlags.AnyOrUnknown) ? null : type;
}

function topOf(node: Node): string {
  let top = node;
  while (!isSourceFile(top.parent)) top = top.parent;
  if (isFunctionDeclaration(top)) return top.name?.text ?? '';
  const [declared] = isVariableStatement(top) ? top.declarationList.declarations : [];
  return declared !== undefined && isIdentifier(declared.name) ? declared.name.text : '';
}

// ---- types ----

function memberOf(name: string, type: Type, checker: Checker): Member {
  const parts = type.isUnionType() ? (type as UnionType).getTypes() : [type];
  const some = (flags: TypeFlags) => parts.some((part) => (part.flags & flags) !== 0);
  const present = parts.filter((part) => (part.flags & TypeFlags.Nullable) === 0);
  return {
    name,
    values: [...new Set(present.map((part) => valueName(part, checker)))].sort(),
    nullable: some(TypeFlags.Null | TypeFlags.AnyOrUnknown),
    optional: some(TypeFlags.Undefined),
  };
}

const PRIMITIVES: readonly (readonly [TypeFlags, string])[] = [
  [TypeFlags.AnyOrUnknown, 'unknown'],
  [TypeFlags.String | TypeFlags.StringLiteral | TypeFlags.TemplateLiteral, 'string'],
  [TypeFlags.Number | TypeFlags.NumberLiteral, 'number'],
  [TypeFlags.BigInt | TypeFlags.BigIntLiteral, 'bigint'],
  [TypeFlags.Boolean | TypeFlags.BooleanLiteral, 'boolean'],
];

/** A text with a mark (`PlainDate`) is a string. */
function valueName(type: Type, checker: Checker): string {
  const primitive = PRIMITIVES.find(([flags]) => (type.flags & flags) !== 0);
  if (primitive !== undefined) return primitive[1];
  if (type.isIntersectionType()) {
    const names = type.getTypes().map((part) => valueName(part, checker));
    return names.find((name) => name === 'string' || name === 'number') ?? 'object';
  }
  if (type.isTypeReference() && checker.isArrayLikeType(type)) {
    const elements = checker.getTypeArguments(type).map((one) => memberOf('', one, checker).values.join(' | '));
    return `${[...new Set(elements)].join(' | ')}[]`;
  }
  const symbol = type.getSymbol()?.name;
  // The driver's bytes are a Buffer, which is a Uint8Array.
  if (symbol === 'Buffer') return 'Uint8Array';
  return symbol === 'Date' || symbol === 'Uint8Array' ? symbol : 'object';
}

// ---- texts ----

type Scope = { file: SourceFile; checker: Checker; evaluate: Evaluate };

/** Every value that an expression may have. */
function valuesOf(expression: Node, scope: Scope): unknown[] {
  const locals = localsIn(expression, scope);
  const names = [...new Set(locals.map(({ text }) => text))];
  let choices: unknown[][] = [[]];
  for (const name of names) {
    const { node } = locals.find(({ text }) => text === name) as Local;
    const values = valuesOfLocal(node, scope);
    choices = choices.flatMap((chosen) => values.map((value) => [...chosen, value]));
    if (choices.length > VARIANTS) throw new Unknown(`${name}: too many possibilities`);
  }
  const parameters = names.map((_, i) => `local${i}`);
  let code = '';
  let end = expression.getStart();
  for (const { node, text } of locals) {
    code += `${scope.file.text.slice(end, node.getStart())}local${names.indexOf(text)}`;
    end = node.end;
  }
  code += scope.file.text.slice(end, expression.end);
  const plain = stripTypeScriptTypes(`((${parameters.join(', ')}) => (${code}))`);
  const values: unknown[] = [];
  let refused: unknown = null;
  for (const chosen of choices) {
    try {
      values.push(scope.evaluate(plain, chosen));
    } catch (error) {
      refused = error;
    }
  }
  // Some possibilities may exclude each other, but not all.
  if (values.length === 0) throw new Unknown(`${code}: ${refused}`);
  return values;
}

type Local = { node: Node; text: string };

/** Names, and members of names, that are declared in a function around the expression, in the order of the source. */
function localsIn(expression: Node, { file, checker }: Scope): Local[] {
  const found: Local[] = [];
  const walk = (node: Node): void => {
    let root = node;
    while (isPropertyAccessExpression(root)) root = root.expression;
    if (isIdentifier(root) && (root !== node || !isName(node))) {
      if (declaredAround(root, expression, checker) === null) return;
      // A method is called on a value, which is what counts.
      const value = isPropertyAccessExpression(node) && isCallee(node) ? node.expression : node;
      found.push({ node: value, text: file.text.slice(value.getStart(), value.end) });
      return;
    }
    node.forEachChild(walk);
  };
  walk(expression);
  return found;
}

const isCallee = (node: Node) => isCallExpression(node.parent) && node.parent.expression === node;
/** Whether an identifier only names a member. */
const isName = (node: Node) => isPropertyAccessExpression(node.parent) && node.parent.name === node;

/** The declaration of a name, if it is in a function around the expression and not in the expression itself. */
function declaredAround(name: Node, expression: Node, checker: Checker): Node | null {
  const declared = checker.getSymbolAtLocation(name)?.valueDeclaration?.resolve();
  if (declared === undefined || (declared.pos >= expression.pos && declared.end <= expression.end)) return null;
  for (let around: Node | undefined = declared.parent; around !== undefined; around = around.parent) {
    if (isFunctionDeclaration(around) || isArrowFunction(around)) return declared;
  }
  return null;
}

function valuesOfLocal(node: Node, scope: Scope): unknown[] {
  const { checker, file } = scope;
  const text = file.text.slice(node.getStart(), node.end);
  const type = checker.getTypeAtLocation(node);
  const fewValues = type === undefined ? null : literalsOf(type);
  if (fewValues !== null) return fewValues;
  const declared = isIdentifier(node) ? declaredAround(node, node, checker) : null;
  if (declared !== null && isVariableDeclaration(declared) && isIdentifier(declared.name)) {
    const list = declared.parent.parent;
    if (isForOfStatement(list)) return valuesOf(list.expression, scope).flatMap((all) => [...(all as unknown[])]);
    if (declared.initializer !== undefined) return valuesOf(declared.initializer, scope);
  }
  if (declared !== null && isBindingElement(declared) && isObjectBindingPattern(declared.parent)) {
    const { parent } = declared.parent;
    const member = (declared.propertyName ?? declared.name) as { text?: string };
    if (isVariableDeclaration(parent) && parent.initializer !== undefined && member.text !== undefined) {
      const { text: key } = member;
      return valuesOf(parent.initializer, scope).map((all) => (all as Record<string, unknown>)[key]);
    }
  }
  throw new Unknown(text);
}

/** The values of a type that has few; a number stands for all numbers. Null: there are many. */
function literalsOf(type: Type): unknown[] | null {
  const parts = type.isUnionType() ? (type as UnionType).getTypes() : [type];
  const values: unknown[] = [];
  for (const part of parts) {
    if (part.isStringLiteralType() || part.isNumberLiteralType() || part.isBooleanLiteralType())
      values.push(part.value);
    else if (part.flags & TypeFlags.Null) values.push(null);
    else if (part.flags & TypeFlags.Undefined) values.push(undefined);
    else if (part.flags & TypeFlags.Number) values.push(1);
    else if (part.flags & TypeFlags.Boolean) values.push(true, false);
    else return null;
  }
  return values;
}
