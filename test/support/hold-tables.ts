/** The tables of docs/servicing.md about holds, made from the data. */
import { TRANSITIONS } from '../../src/core/decide/decide.ts';
import { EFFECTS, type EffectRow, HOLD_AREAS, HOLD_EFFECTS, type HoldArea } from '../../src/core/hold-effects.ts';

const AREAS = Object.keys(HOLD_AREAS) as HoldArea[];

const nameOf = ({ kind, stage }: EffectRow) => `\`${kind}\`${stage === null ? '' : `, ${stage}`}`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells, i) => (i === 1 ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`)).join('\n');
}

/** Hold × area. */
export function effectsTable(): string {
  return table(
    ['Hold', ...AREAS.map((area) => `\`${area}\``)],
    HOLD_EFFECTS.map((row) => [nameOf(row), ...AREAS.map((area) => row.effects[area].effect)]),
  );
}

/** Operation × hold, for the operations that belong to an area. */
export function operationsTable(): string {
  const held = Object.entries(TRANSITIONS).flatMap(([operation, { area }]) =>
    area === undefined ? [] : [{ operation, area }],
  );
  return table(
    ['Hold', ...held.map(({ operation }) => `\`${operation}\``)],
    HOLD_EFFECTS.map((row) => [
      nameOf(row),
      ...held.map(({ area }) => (EFFECTS[row.effects[area].effect].lets === 'all' ? 'allowed' : 'refused')),
    ]),
  );
}

/** The source of each restriction. */
export function basesTable(): string {
  return table(
    ['Hold', 'Area', 'Effect', 'Basis'],
    HOLD_EFFECTS.flatMap((row) =>
      AREAS.flatMap((area) => {
        const { effect, basis } = row.effects[area];
        return basis === '' ? [] : [[nameOf(row), `\`${area}\``, effect, basis]];
      }),
    ),
  );
}

/** The meaning of each effect. */
export function meaningsTable(): string {
  return table(
    ['Effect', 'Meaning'],
    Object.entries(EFFECTS).map(([effect, { about }]) => [`\`${effect}\``, about]),
  );
}

/** The scope of each area. */
export function areasTable(): string {
  return table(
    ['Area', 'Covers'],
    AREAS.map((area) => [`\`${area}\``, HOLD_AREAS[area]]),
  );
}
