/** Server-sent events from a stream of bytes, as the HTML standard parses them. */

export type Message = { id: string | undefined; data: string };

/** Feed it the parts as they arrive, wherever they are cut; it returns the messages that are complete. */
export function messageReader(): (part: Uint8Array<ArrayBuffer>) => Message[] {
  // It also leaves out a byte order mark.
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let id: string | undefined;

  return (part) => {
    const messages: Message[] = [];
    const text = rest + decoder.decode(part, { stream: true });
    // A CR at the end may be the first half of a CRLF, so it waits for what follows.
    const whole = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = whole.split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + text.slice(whole.length);
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) messages.push({ id, data: data.join('\n') });
        data = [];
        continue;
      }
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'data') data.push(value);
      else if (field === 'id' && !value.includes('\0')) id = value;
    }
    return messages;
  };
}
