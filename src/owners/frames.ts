/**
 * Frames on a connection between two processes: length (4 bytes), message number (4), JSON in UTF-8. An answer has the number of
 * its message, so that many can be in progress at a time and none waits for another.
 */
import type { Duplex } from 'node:stream';

const HEAD_BYTES = 8;

/** The longest frame. The body of a forwarded write has at most 64 KiB, which JSON may escape to six times as many. */
const FRAME_BYTES = 1024 * 1024;

export type Frames = {
  /** False: not sent, because it is too long or because too much is already waiting to be sent. */
  send(number: number, value: object): boolean;
  /** Ends the connection after everything is sent. */
  end(): void;
};

/** Bytes that may wait to be sent. */
const WAITING_BYTES = 16 * 1024 * 1024;

/** Calls `received` for each frame. A frame that is too long, or not JSON, ends the connection. */
export function openFrames(socket: Duplex, received: (number: number, value: unknown) => void): Frames {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let outgoing: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    pending.push(chunk);
    pendingBytes += chunk.length;
    try {
      take();
    } catch {
      socket.destroy();
    }
  });
  return {
    send(number, value) {
      const text = Buffer.from(JSON.stringify(value));
      if (text.length > FRAME_BYTES || socket.writableLength > WAITING_BYTES || !socket.writable) return false;
      const head = Buffer.allocUnsafe(HEAD_BYTES);
      head.writeUInt32BE(text.length, 0);
      head.writeUInt32BE(number, 4);
      outgoing.push(head, text);
      // Frames sent in the same turn of the event loop go out together: one TLS record and one system call.
      if (outgoing.length === 2) setImmediate(flush);
      return true;
    },
    end() {
      flush();
      socket.end();
    },
  };

  function flush(): void {
    if (outgoing.length === 0) return;
    const bytes = Buffer.concat(outgoing);
    outgoing = [];
    if (socket.writable) socket.write(bytes);
  }

  function take(): void {
    while (pendingBytes >= HEAD_BYTES) {
      const bytes = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      pending = [bytes];
      const length = bytes.readUInt32BE(0);
      if (length > FRAME_BYTES) throw new Error('A frame is too long.');
      const end = HEAD_BYTES + length;
      if (bytes.length < end) return;
      pending = [bytes.subarray(end)];
      pendingBytes = bytes.length - end;
      received(bytes.readUInt32BE(4), JSON.parse(bytes.toString('utf8', HEAD_BYTES, end)));
    }
  }
}
