/** The text of an uncompressed PDF, found as a PDF reader does: by the file's table of objects, each page's fonts and their Unicode maps. */

export type PdfText = {
  /** The text of each page, in the order it was written. */
  readonly pages: readonly (readonly string[])[];
  /** The objects by number, each at its position in the table. */
  readonly objects: ReadonlyMap<number, string>;
};

export function readPdf(bytes: Uint8Array): PdfText {
  const objects = objectsOf(Buffer.from(bytes).toString('latin1'));
  const object = (reference: string | undefined): string => {
    const found = objects.get(Number(reference));
    if (found === undefined) throw new Error(`There is no object ${reference}.`);
    return found;
  };
  const kids = /\/Kids \[([^\]]*)\]/.exec([...objects.values()].find((one) => one.includes('/Type /Pages')) ?? '')?.[1];
  const pages = [...(kids ?? '').matchAll(/(\d+) 0 R/g)].map(([, kid]) => {
    const page = object(kid);
    const resources = object(/\/Resources (\d+) 0 R/.exec(page)?.[1]);
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', font]) => [
        name,
        unicodeOf(streamOf(object(/\/ToUnicode (\d+) 0 R/.exec(object(font))?.[1]))),
      ]),
    );
    return textsOf(streamOf(object(/\/Contents (\d+) 0 R/.exec(page)?.[1])), fonts);
  });
  return { pages, objects };
}

function objectsOf(file: string): Map<number, string> {
  if (!file.startsWith('%PDF-1.') || !file.endsWith('%%EOF\n')) throw new Error('It is no PDF.');
  const table = file.slice(Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])).split('\n');
  if (table[0] !== 'xref') throw new Error('The table is not where the file says.');
  const count = Number(/^0 (\d+)$/.exec(table[1] ?? '')?.[1]);
  const objects = new Map<number, string>();
  for (let number = 1; number < count; number++) {
    const offset = Number(/^(\d{10}) 00000 n $/.exec(table[2 + number] ?? '')?.[1]);
    const head = `${number} 0 obj\n`;
    if (!file.startsWith(head, offset)) throw new Error(`Object ${number} is not where the table says.`);
    const body = file.slice(offset + head.length);
    const length = /^<<\n(?:(?!>>)[\s\S])*?\/Length (\d+)\n(?:(?!>>)[\s\S])*?>>\nstream\n/.exec(body);
    const end = length === null ? 0 : length[0].length + Number(length[1]);
    if (length !== null && !body.startsWith('\nendstream\nendobj', end))
      throw new Error(`Stream ${number} has another length.`);
    objects.set(number, body.slice(0, body.indexOf('\nendobj', end)));
  }
  return objects;
}

function streamOf(object: string): string {
  return /stream\n([\s\S]*)\nendstream$/.exec(object)?.[1] ?? '';
}

function unicodeOf(map: string): Map<string, string> {
  const characters = new Map<string, string>();
  for (const [, from = '', entries = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)) {
    [...entries.matchAll(/<([0-9a-f ]*)>/g)].forEach(([, code = ''], i) => {
      const units = code.split(' ').map((unit) => Number.parseInt(unit, 16));
      const glyph = (Number.parseInt(from, 16) + i).toString(16).padStart(4, '0');
      characters.set(glyph, String.fromCharCode(...units));
    });
  }
  return characters;
}

function textsOf(stream: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  return [...stream.matchAll(/\bBT\b([\s\S]*?)\bET\b/g)].map(([, drawn = '']) => {
    const font = fonts.get(/\/(F\d+) [\d.]+ Tf/.exec(drawn)?.[1] ?? '');
    if (font === undefined) throw new Error('A text is in a font that the page does not have.');
    const glyphs = [...drawn.matchAll(/<([0-9a-f]*)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    return glyphs.map((glyph) => font.get(glyph) ?? '\ufffd').join('');
  });
}
