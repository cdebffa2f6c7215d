/**
 * PDF 1.4, written by hand: pages of text, lines and filled boxes in Helvetica, which every reader has. Streams are not compressed, so
 * the same pages are the same bytes on every machine, whatever its zlib; the record that keeps them is compressed anyway.
 *
 * Positions are in points (72 to the inch) from the upper left corner of the page; PDF counts from the lower left.
 */
export const PAGE = { width: 612, height: 792 } as const;

export type Font = 'regular' | 'bold';
/** Red, green, blue from 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number];

export type TextStyle = {
  readonly size?: number;
  readonly font?: Font;
  readonly color?: Color;
  readonly align?: 'left' | 'right' | 'center';
};

export type Page = {
  /** `y` is the line that the letters stand on. */
  text(x: number, y: number, text: string, style?: TextStyle): void;
  /** Filled; `y` is its upper edge. */
  box(x: number, y: number, width: number, height: number, color: Color): void;
  frame(x: number, y: number, width: number, height: number, color: Color): void;
  line(x1: number, y1: number, x2: number, y2: number, color: Color): void;
};

export type PdfDetails = {
  readonly title: string;
  /** `20260115103000`: the digits of the moment. */
  readonly createdAt: string;
};

export function newPdf({ title, createdAt }: PdfDetails): { page(): Page; bytes(): Uint8Array } {
  const pages: Content[] = [];
  return {
    page() {
      const content = new Content();
      pages.push(content);
      return content;
    },
    bytes() {
      const kids = pages.map((_, i) => `${FIRST_PAGE + 2 * i} 0 R`).join(' ');
      const objects = [
        '<</Type/Catalog/Pages 2 0 R>>',
        `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>`,
        fontObject('Helvetica'),
        fontObject('Helvetica-Bold'),
        `<</Title(${escaped(title)})/Producer(Daybook)/CreationDate(D:${escaped(createdAt)})>>`,
        ...pages.flatMap((content, i) => [
          `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${PAGE.width} ${PAGE.height}]` +
            `/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>/Contents ${FIRST_PAGE + 2 * i + 1} 0 R>>`,
          content.stream(),
        ]),
      ];
      return assemble(objects);
    },
  };
}

/** Objects 1 to 5 are the catalog, the list of pages, two fonts and the details; each page is an object and its stream. */
const FIRST_PAGE = 6;

const fontObject = (name: string): string => `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`;

/** The objects, a table of where each of them begins, and where that table is. */
function assemble(objects: readonly string[]): Uint8Array {
  // The comment of four bytes above 127 tells tools that carry files that this one is binary.
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  let table = '0000000000 65535 f \n';
  objects.forEach((object, i) => {
    table += `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const size = objects.length + 1;
  const end = `trailer\n<</Size ${size}/Root 1 0 R/Info 5 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${size}\n${table}${end}`, 'latin1');
}

const BLACK: Color = [0, 0, 0];

class Content implements Page {
  private operators = '';
  private fill: Color = BLACK;
  private stroke: Color = BLACK;

  text(x: number, y: number, text: string, style: TextStyle = {}): void {
    const { size = 9, font = 'regular', color = BLACK, align = 'left' } = style;
    const shown = winAnsi(text);
    if (shown === '') return;
    const left = align === 'left' ? x : x - bytesWidth(shown, size, font) * (align === 'right' ? 1 : 0.5);
    this.fillWith(color);
    this.operators += `BT/F${font === 'bold' ? 2 : 1} ${size} Tf ${point(left)} ${point(PAGE.height - y)} Td(${shown.replace(/[\\()]/g, '\\$&')})Tj ET\n`;
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
    this.operators += `${point(x1)} ${point(PAGE.height - y1)} m ${point(x2)} ${point(PAGE.height - y2)} l S\n`;
  }

  stream(): string {
    const operators = `0.5 w\n${this.operators}`;
    return `<</Length ${operators.length}>>\nstream\n${operators}\nendstream`;
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
  `${point(x)} ${point(PAGE.height - y - height)} ${point(width)} ${point(height)} re`;

/** To a tenth of a point, which is a third of a hair. */
const point = (value: number): string => String(Math.round(value * 10) / 10);

const escaped = (text: string): string => winAnsi(text).replace(/[\\()]/g, '\\$&');

/** How wide a text is, in points. */
export function textWidth(text: string, size: number, font: Font = 'regular'): number {
  return bytesWidth(winAnsi(text), size, font);
}

/** As much of the text as fits, with an ellipsis where something is left out. */
export function fitted(text: string, width: number, size: number, font: Font = 'regular'): string {
  if (textWidth(text, size, font) <= width) return text;
  let end = text.length - 1;
  while (end > 0 && textWidth(`${text.slice(0, end)}…`, size, font) > width) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The text in lines of at most this width; a word that is wider has a line of its own. */
export function wrapped(text: string, width: number, size: number, font: Font = 'regular'): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && textWidth(longer, size, font) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

// ---- letters ----

/** Characters of code page 1252 that are elsewhere in Unicode. The rest of it is Latin-1. */
const ELSEWHERE = new Map(
  [...'€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'].map((character, i) => [character, String.fromCharCode(0x80 + i)]),
);

/** One character a byte; what the fonts do not have loses its accent, and becomes a question mark if that does not help. */
function winAnsi(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  let bytes = '';
  for (const character of text.normalize('NFC')) {
    const code = character.codePointAt(0) as number;
    const known = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff);
    if (known) bytes += character;
    else if (code < 0x20 || code === 0x7f) bytes += ' ';
    else bytes += ELSEWHERE.get(character) ?? plain(character);
  }
  return bytes;
}

function plain(character: string): string {
  const [base = ''] = character.normalize('NFKD');
  return /^[\x20-\x7e]$/.test(base) ? base : '?';
}

function bytesWidth(bytes: string, size: number, font: Font): number {
  const widths = WIDTHS[font];
  let width = 0;
  for (let i = 0; i < bytes.length; i++) width += widths[bytes.charCodeAt(i)] as number;
  return (width * size) / 1000;
}

/** Widths of the characters 32 to 126 in thousandths of the size, from Adobe's metrics of the standard fonts. */
const WIDTHS: Readonly<Record<Font, readonly number[]>> = {
  regular: widthTable(
    '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 ' +
      '1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 ' +
      '333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584',
  ),
  bold: widthTable(
    '278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 ' +
      '975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 ' +
      '333 556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584',
  ),
};

/** A letter with an accent is as wide as without; the other characters above 127 are taken as wide as a digit, the longer ones as an em. */
function widthTable(ascii: string): number[] {
  const widths: number[] = new Array(256).fill(556);
  ascii.split(' ').forEach((width, i) => {
    widths[32 + i] = Number(width);
  });
  for (let code = 0xc0; code <= 0xff; code++) {
    const base = String.fromCharCode(code).normalize('NFD').charCodeAt(0);
    if (base < 0x80) widths[code] = widths[base] as number;
  }
  for (const wide of '…—™Œ') widths[(ELSEWHERE.get(wide) as string).charCodeAt(0)] = 1000;
  widths[0xc6] = 1000;
  return widths;
}
