/** The versions of the model and the underwriting policy that a study compares: those that are built in, and those from a file. */
import type { PlainDate } from '../../src/core/calendar.ts';
import { loadPolicy } from '../../src/underwriting/load-policy.ts';
import { MODELS } from '../../src/underwriting/model-data.ts';
import type { LendingPolicy } from '../../src/underwriting/policy.ts';
import { POLICIES } from '../../src/underwriting/policy-data.ts';
import { inForce, loadModel, type Model } from '../../src/underwriting/score.ts';
import { mistakesIn, shapeOf } from './shape.ts';

export type Versions = { readonly model: Model; readonly policy: LendingPolicy };

/** The versions that decide an application on a day unless others are named. */
export function versionsOn(day: PlainDate): Versions {
  return { model: inForce(MODELS, day), policy: inForce(POLICIES, day) };
}

export function builtIn(kind: 'model' | 'policy'): readonly (Model | LendingPolicy)[] {
  return kind === 'model' ? MODELS : POLICIES;
}

/** A model from JSON text; an error that names every mistake. */
export function readModel(text: string): Model {
  return loadModel(shaped(text, MODELS, 'model') as Model);
}

export function readPolicy(text: string): LendingPolicy {
  return loadPolicy(shaped(text, POLICIES, 'policy') as LendingPolicy);
}

function shaped(text: string, examples: readonly unknown[], kind: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`The ${kind} is not JSON.`);
  }
  const mistakes = mistakesIn(value, shapeOf(examples));
  if (mistakes.length > 0) throw new Error(`The ${kind} cannot be used. ${mistakes.join('; ')}.`);
  return value;
}
