/**
 * Hints at less discriminatory alternatives: each rule of the policy and each feature of the model is left out in turn. An alternative is
 * worth a look where the gap between the groups becomes smaller and the losses of what is then lent hardly rise.
 */
import type { FeatureWeight, Model } from '../../src/underwriting/score.ts';
import type { Subject } from './fairness-decisions.ts';
import type { Group } from './population.ts';
import type { Versions } from './versions.ts';

export type Alternative = {
  readonly without: { readonly kind: 'rule' | 'feature'; readonly name: string } | null;
  /** Shares, 0 to 1. */
  readonly approved: number;
  /** Approval of group A less that of group B. */
  readonly gap: number;
  /** Percent of the money lent, always by the whole model: leaving a feature out makes nobody safer. */
  readonly expectedLossPercent: number | null;
};

/** The first is the policy and model as they are; the others follow by how much they narrow the gap. */
export function alternatives(
  subjects: readonly Subject[],
  { model, policy }: Versions,
  decide: (versions: Versions) => readonly Subject[],
): Alternative[] {
  const asIs = outcome(
    null,
    subjects,
    subjects.map(({ approved }) => approved),
  );
  const rules = policy.rules
    .filter(({ id, outcome: then }) => 'decline' in then && subjects.some(({ rules: broken }) => broken.includes(id)))
    .map(({ id }) =>
      outcome(
        { kind: 'rule', name: id },
        subjects,
        subjects.map((subject) => subject.rules.every((rule) => rule === id)),
      ),
    );
  const features = weighing(model).map(({ name }) => {
    const without = {
      ...model,
      default: { ...model.default, features: withoutWeight(model.default.features, name) },
    };
    const decided = decide({ model: without, policy });
    return outcome(
      { kind: 'feature', name },
      subjects,
      decided.map(({ approved }) => approved),
    );
  });
  const others = [...rules, ...features].sort(
    (one, other) => one.gap - other.gap || (nameOf(one) < nameOf(other) ? -1 : 1),
  );
  return [asIs, ...others];
}

/** The features that may be left out: the economy is the same for everybody. */
export function weighing(model: Model): readonly FeatureWeight[] {
  return model.default.features.filter(({ about, weight }) => about !== 'economy' && weight !== 0);
}

function withoutWeight<T extends { readonly name: string; readonly weight: number }>(
  features: readonly T[],
  name: string,
): T[] {
  return features.map((feature) => (feature.name === name ? { ...feature, weight: 0 } : feature));
}

function nameOf({ without }: Alternative): string {
  return without === null ? '' : `${without.kind} ${without.name}`;
}

function outcome(
  without: Alternative['without'],
  subjects: readonly Subject[],
  approved: readonly boolean[],
): Alternative {
  const lent = subjects.filter((_, i) => approved[i]);
  const share = (group: Group) => {
    const all = subjects.filter((subject) => subject.group === group).length;
    return all === 0 ? 0 : lent.filter((subject) => subject.group === group).length / all;
  };
  let [amount, loss] = [0, 0];
  for (const subject of lent) {
    amount += subject.amount;
    loss += subject.expectedLoss;
  }
  return {
    without,
    approved: subjects.length === 0 ? 0 : lent.length / subjects.length,
    gap: share('A') - share('B'),
    expectedLossPercent: amount === 0 ? null : (loss / amount) * 100,
  };
}
