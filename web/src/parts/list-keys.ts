/** The place in a list after a key; null if the key does not move. */
export function afterKey(key: string, at: number, count: number, screenful: number): number | null {
  const end = Math.max(0, count - 1);
  const within = (place: number) => Math.max(0, Math.min(end, place));
  switch (key) {
    case 'ArrowDown':
      return within(at + 1);
    case 'ArrowUp':
      return within(at - 1);
    case 'PageDown':
      return within(Math.max(at, 0) + screenful);
    case 'PageUp':
      return within(at - screenful);
    case 'Home':
      return 0;
    case 'End':
      return end;
    default:
      return null;
  }
}
