/** Prints the statements of `src/store` as JSON. A process of its own, because it loads the modules in another form. */
import { collectStatements, makeEvaluable } from './statements.ts';

makeEvaluable();
const { recordedTexts } = await import('./statement-samples.ts');
const recorded = await recordedTexts();
const all = collectStatements().map((one) => {
  const texts = recorded.get(one.place);
  return texts === undefined ? one : { ...one, texts: [...one.texts, ...texts], unknown: null };
});
process.stdout.write(JSON.stringify(all));
