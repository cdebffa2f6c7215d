/** A drawer beside the page: it holds the focus and gives it back, and closes with Esc. */
import { Drawer as MantineDrawer } from '@mantine/core';
import type { ReactNode } from 'react';

export function Drawer(props: { open: boolean; title: string; onClose: () => void; children: ReactNode }) {
  return (
    <MantineDrawer
      opened={props.open}
      onClose={props.onClose}
      position="right"
      size={480}
      title={props.title}
      classNames={{ content: 'drawer-content', header: 'drawer-header', title: 'drawer-title', body: 'drawer-body' }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      overlayProps={{ backgroundOpacity: 0.25 }}
    >
      {props.children}
    </MantineDrawer>
  );
}
