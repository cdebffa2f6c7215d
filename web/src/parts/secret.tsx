/** Something that is shown once, to be copied. */
import { useRef, useState } from 'react';

export function Secret({ label, value }: { label: string; value: string }) {
  const [copied, setCopied] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const copy = async () => {
    box.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      // Without a secure connection the clipboard is closed: it stays selected, for Ctrl+C.
      setCopied(false);
    }
  };
  return (
    <div className="secret">
      <label>
        <span className="label">{label}</span>
        <input ref={box} className="input mono" readOnly value={value} onFocus={(event) => event.target.select()} />
      </label>
      <button type="button" className="button" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
      <p className="small">Shown only once. Store it in a safe place now.</p>
    </div>
  );
}
