/** A real browser for the pages. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const there = existsSync(CHROMIUM);

/** On a developer's machine the browser is optional; in CI its absence would hide a broken page. */
export const withoutBrowser = !there && !process.env.CI;
if (withoutBrowser)
  console.warn(`No browser at ${CHROMIUM}, so the pages are not tried. Install chromium, or name one in CHROMIUM.`);

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** For people to look at, where a folder is named. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return;
  for (const [kind, colorScheme, width] of [
    ['light', 'light', 1_000],
    ['dark', 'dark', 1_000],
    ['phone', 'light', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}-${kind}.png`), fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1_000, height: 800 });
}
