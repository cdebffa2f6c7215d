/** `npm run drawing`: writes `docs/house.svg` from the source. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { houseDrawing } from './house-drawing.ts';

const root = dirname(import.meta.dirname);
const paths = globSync('src/**/*.ts', { cwd: root });
const tree = new Map(paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(root, path), 'utf8')]));
writeFileSync(join(root, 'docs/house.svg'), houseDrawing(tree));
console.log('docs/house.svg written.');
