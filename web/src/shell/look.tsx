/** Mantine with our own tokens. */
import { createTheme, MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { nonce } from '../api.ts';

// Dialogs keep the page behind them from scrolling by a style sheet, which takes its nonce from here (`get-nonce`).
Object.assign(globalThis, { __webpack_nonce__: nonce });

const theme = createTheme({
  fontFamily: '"Inter Variable", system-ui, sans-serif',
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '20px', xl: '20px' },
  defaultRadius: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '600' },
});

export function Look({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      {children}
    </MantineProvider>
  );
}
