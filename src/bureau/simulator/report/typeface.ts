/**
 * The typeface of the printed report: DejaVu Sans Condensed, which has Latin with all its accents, Greek, Cyrillic, Vietnamese, Armenian,
 * Georgian, Hebrew and Arabic. A character that it does not have prints as a box.
 *
 * The two font files are read once per process. What pdfkit asks of a font for every document is cached here: looking up glyphs
 * and cutting the font down to those of one report took ten times as long as the rest of a pull.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font as FontFile, type Glyph } from 'fontkit';

export type Font = 'regular' | 'bold';

/** Characters as they are printed: composed where Unicode has a composed form, and a space for line breaks and controls. */
export function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\p{Cc}/gu, ' ');
}

/**
 * Scripts whose letters stand side by side, one glyph for each character, so that nothing has to be shaped. Kerning is left out.
 * Marks that combine, scripts that are written from right to left, and all others are shaped by fontkit.
 */
export function standsAlone(text: string): boolean {
  return (
    /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]*$/u.test(text) && !/\p{M}/u.test(text)
  );
}

/** The width of a text in points: the sum of its characters, which for shaped scripts is near enough. */
export function textWidth(text: string, size: number, font: Font = 'regular'): number {
  const { asciiWidths, glyphOf, unitsPerEm } = faceOf(font);
  let width = 0;
  for (let i = 0; i < text.length; i++) {
    // Undefined beyond ASCII, which makes it not a number.
    width += asciiWidths[text.charCodeAt(i)] as number;
  }
  if (Number.isNaN(width)) {
    width = 0;
    for (const character of printable(text)) width += glyphOf(character).advanceWidth;
  }
  return (width * size) / unitsPerEm;
}

/** No place on a page takes more characters than this; measuring the rest of a name of 20,000 would be wasted work. */
const LONGEST = 400;

/** As much of the text as fits, with an ellipsis where something is left out. */
export function fitted(text: string, width: number, size: number, font: Font = 'regular'): string {
  const isLonger = text.length > LONGEST;
  const whole = printable(isLonger ? text.slice(0, LONGEST) : text);
  if (!isLonger && textWidth(whole, size, font) <= width) return text;
  let left = width - textWidth('…', size, font);
  let shown = '';
  for (const character of whole) {
    left -= textWidth(character, size, font);
    if (left < 0) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

/** The text in lines of at most this width; a word that is wider has a line of its own. */
export function wrapped(text: string, width: number, size: number, font: Font = 'regular'): string[] {
  const lines: string[] = [];
  const space = textWidth(' ', size, font);
  let line: string[] = [];
  let lineWidth = 0;
  for (const word of text.split(' ')) {
    const wordWidth = textWidth(word, size, font);
    if (line.length > 0 && lineWidth + space + wordWidth > width) {
      lines.push(line.join(' '));
      line = [word];
      lineWidth = wordWidth;
    } else {
      lineWidth += line.length === 0 ? wordWidth : space + wordWidth;
      line.push(word);
    }
  }
  return [...lines, line.join(' ')];
}

/** The fields of a glyph that pdfkit reads. */
type PlacedGlyph = { readonly id: number; readonly advanceWidth: number; readonly codePoints: readonly number[] };

type Face = {
  readonly unitsPerEm: number;
  /** By character code, for printable ASCII alone: nearly all that is printed. */
  readonly asciiWidths: readonly number[];
  glyphOf(character: string): PlacedGlyph;
  /** The font for one document; pdfkit's `registerFont` accepts it in place of a file. */
  forDocument(): FontFile;
};

const FILES: Readonly<Record<Font, string>> = {
  regular: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  bold: 'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
};
const faces = new Map<Font, Face>();

export function faceOf(font: Font): Face {
  let face = faces.get(font);
  if (face === undefined) {
    face = readFace(readFileSync(createRequire(import.meta.url).resolve(FILES[font])));
    faces.set(font, face);
  }
  return face;
}

function readFace(bytes: Buffer): Face {
  // A file might hold several fonts; these hold one.
  const read = () => create(bytes) as FontFile;
  const font = read();
  const glyphOf = glyphsOf(font);
  const createSubset = subsetsOf(font);
  const asciiWidths: number[] = new Array(127).fill(Number.NaN);
  for (let code = 32; code < 127; code++) asciiWidths[code] = glyphOf(String.fromCharCode(code)).advanceWidth;
  const sideBySide = (text: string) => {
    const glyphs = Array.from(text, glyphOf);
    const positions = glyphs.map(({ advanceWidth }) => ({
      xAdvance: advanceWidth,
      yAdvance: 0,
      xOffset: 0,
      yOffset: 0,
    }));
    return { glyphs, positions, advanceWidth: glyphs.reduce((width, glyph) => width + glyph.advanceWidth, 0) };
  };
  return {
    unitsPerEm: font.unitsPerEm,
    asciiWidths,
    glyphOf,
    forDocument() {
      // fontkit keeps for each glyph the characters that it first stood for. In a font shared between documents those would depend on
      // the earlier documents, and so would the bytes of this one.
      let shaper: FontFile | null = null;
      const shaped = (text: string) => {
        shaper ??= read();
        return shaper.layout(text);
      };
      const layout = (text: string) => (standsAlone(text) ? sideBySide(text) : shaped(text));
      return Object.create(font, { layout: { value: layout }, createSubset: { value: createSubset } }) as FontFile;
    },
  };
}

/** More than the names of a day need; further glyphs are looked up each time. */
const MOST_GLYPHS = 5_000;

function glyphsOf(font: FontFile): (character: string) => PlacedGlyph {
  const known = new Map<string, PlacedGlyph>();
  return (character) => {
    let glyph = known.get(character);
    if (glyph === undefined) {
      const codePoint = character.codePointAt(0) as number;
      const { id, advanceWidth } = font.glyphForCodePoint(codePoint);
      glyph = { id, advanceWidth, codePoints: [codePoint] };
      if (known.size < MOST_GLYPHS) known.set(character, glyph);
    }
    return glyph;
  };
}

/** About 10 KB each. Most reports need the same glyphs in the same order; a name with other letters has a subset of its own. */
const MOST_SUBSETS = 100;

/** Subsets that are encoded once for each list of glyphs, which takes two milliseconds. */
function subsetsOf(font: FontFile) {
  const encoded = new Map<string, Uint8Array>();
  return () => {
    const subset = font.createSubset();
    const glyphs: number[] = [];
    return {
      includeGlyph(id: number): number {
        // The types say a glyph and a boolean; pdfkit passes the glyph's number, and gets its number in the subset.
        const place = subset.includeGlyph(id as unknown as Glyph) as unknown as number;
        if (place > glyphs.length) glyphs.push(id);
        return place;
      },
      encode(): Uint8Array {
        const key = glyphs.join();
        let bytes = encoded.get(key);
        if (bytes === undefined) {
          bytes = subset.encode();
          if (encoded.size >= MOST_SUBSETS) encoded.clear();
          encoded.set(key, bytes);
        }
        return bytes;
      },
    };
  };
}
