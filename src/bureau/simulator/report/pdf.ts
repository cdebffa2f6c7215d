/**
 * Pages of text, lines and filled boxes. pdfkit writes the file and embeds the fonts. The drawing operators of a page are collected here
 * and handed to it as one text, as pdfmake does: each call of pdfkit's own `text` and `rect` saves and restores the graphics state, and
 * with those a report took 10 ms instead of 3.
 *
 * The same pages are the same bytes on every machine: the date comes from the report, pdfkit derives the file's id from date and title,
 * and streams are not compressed, because zlib's output depends on the processor. The record that keeps the file is compressed anyway.
 *
 * Positions are in points (72 to the inch) from the upper left corner of the page.
 */
import PDFDocument from 'pdfkit';
import { type Font, faceOf, printable, standsAlone, textWidth } from './typeface.ts';

export const PAGE = { width: 612, height: 792 } as const;

/** Red, green, blue from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number];

export type TextStyle = {
  readonly size?: number;
  readonly font?: Font;
  readonly color?: Color;
  readonly align?: 'left' | 'right' | 'center';
};

export type Page = {
  /** `y` is the baseline. */
  text(x: number, y: number, text: string, style?: TextStyle): void;
  /** Filled; `y` is its upper edge. */
  box(x: number, y: number, width: number, height: number, color: Color): void;
  frame(x: number, y: number, width: number, height: number, color: Color): void;
  line(x1: number, y1: number, x2: number, y2: number, color: Color): void;
};

export type PdfDetails = {
  readonly title: string;
  /** ISO 8601. */
  readonly createdAt: string;
};

export function newPdf({ title, createdAt }: PdfDetails): { page(): Page; bytes(): Uint8Array } {
  const document = new PDFDocument({
    size: [PAGE.width, PAGE.height],
    margin: 0,
    pdfVersion: '1.4',
    compress: false,
    // None of pdfkit's own fonts.
    font: '',
    autoFirstPage: false,
    bufferPages: true,
    info: { Title: title, Producer: 'Daybook', Creator: 'Daybook', CreationDate: new Date(createdAt) },
  });
  const fonts = { regular: openFont(document, 'regular'), bold: openFont(document, 'bold') };
  const pages: Content[] = [];
  return {
    page() {
      document.addPage();
      const content = new Content(document, pages.length, fonts);
      pages.push(content);
      return content;
    },
    bytes() {
      for (const page of pages) page.flush();
      document.end();
      const chunks: Uint8Array[] = [];
      // The whole output is available once it has ended: nothing is compressed, so nothing is asynchronous.
      for (let chunk = document.read(); chunk !== null; chunk = document.read()) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}

/** A font inside a pdfkit document, as pdfmake uses it. The version of pdfkit is fixed, and the tests read the text back. */
type EmbeddedFont = {
  readonly id: string;
  /** Glyphs of the font's subset as four hexadecimal digits each. */
  encode(text: string): [glyphs: string[], positions: unknown];
  ref(): unknown;
};
type Document = PDFKit.PDFDocument & { readonly _font: EmbeddedFont };

/**
 * In every subset, and in this order: reports that need no other character share one subset, which is encoded once. Printable ASCII and
 * what the report's own texts have beyond it.
 */
const COMMON = `${String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i))}–…“”`;

type OpenFont = { readonly embedded: EmbeddedFont; hexOf(character: string): string };

function openFont(document: PDFKit.PDFDocument, font: Font): OpenFont {
  // The types know files only; pdfkit also accepts a font that has been read.
  document.registerFont(font, faceOf(font).forDocument() as unknown as Uint8Array);
  document.font(font);
  const embedded = (document as Document)._font;
  // All at once, which is much faster than one by one.
  const [common] = embedded.encode(COMMON);
  const known = new Map(Array.from(COMMON, (character, i) => [character, common[i] as string]));
  const hexOf = (character: string): string => {
    let hex = known.get(character);
    if (hex === undefined) {
      hex = embedded.encode(character)[0].join('');
      known.set(character, hex);
    }
    return hex;
  };
  return { embedded, hexOf };
}

const BLACK: Color = [0, 0, 0];

class Content implements Page {
  private operators = '0.5 w\n';
  private fill: Color = BLACK;
  private stroke: Color = BLACK;
  private readonly document: PDFKit.PDFDocument;
  private readonly number: number;
  private readonly fonts: Readonly<Record<Font, OpenFont>>;

  constructor(document: PDFKit.PDFDocument, number: number, fonts: Readonly<Record<Font, OpenFont>>) {
    this.document = document;
    this.number = number;
    this.fonts = fonts;
    for (const { embedded } of Object.values(fonts)) document.page.fonts[embedded.id] = embedded.ref();
  }

  text(x: number, y: number, text: string, style: TextStyle = {}): void {
    const { size = 9, font = 'regular', color = BLACK, align = 'left' } = style;
    const shown = printable(text);
    if (shown === '') return;
    const left = align === 'left' ? x : x - textWidth(shown, size, font) * (align === 'right' ? 1 : 0.5);
    this.fillWith(color);
    if (!standsAlone(shown)) {
      this.flush();
      this.document.font(font).fontSize(size).text(shown, left, y, { lineBreak: false, baseline: 'alphabetic' });
      return;
    }
    const { embedded, hexOf } = this.fonts[font];
    let hex = '';
    for (const character of shown) hex += hexOf(character);
    // pdfkit counts from the upper left by turning the page upside down; the text is flipped back.
    this.operators += `BT/${embedded.id} ${size} Tf 1 0 0 -1 ${point(left)} ${point(y)} Tm<${hex}>Tj ET\n`;
  }

  box(x: number, y: number, width: number, height: number, color: Color): void {
    this.fillWith(color);
    this.operators += `${rectangle(x, y, width, height)} f\n`;
  }

  frame(x: number, y: number, width: number, height: number, color: Color): void {
    this.strokeWith(color);
    this.operators += `${rectangle(x, y, width, height)} S\n`;
  }

  line(x1: number, y1: number, x2: number, y2: number, color: Color): void {
    this.strokeWith(color);
    this.operators += `${point(x1)} ${point(y1)} m ${point(x2)} ${point(y2)} l S\n`;
  }

  /** Writes what was drawn so far to the document. */
  flush(): void {
    this.document.switchToPage(this.number);
    this.document.addContent(Buffer.from(this.operators, 'latin1'));
    this.operators = '';
  }

  private fillWith(color: Color): void {
    if (color !== this.fill) this.operators += `${color.join(' ')} rg\n`;
    this.fill = color;
  }

  private strokeWith(color: Color): void {
    if (color !== this.stroke) this.operators += `${color.join(' ')} RG\n`;
    this.stroke = color;
  }
}

const rectangle = (x: number, y: number, width: number, height: number): string =>
  `${point(x)} ${point(y)} ${point(width)} ${point(height)} re`;

/** To a tenth of a point. */
const point = (value: number): string => String(Math.round(value * 10) / 10);
