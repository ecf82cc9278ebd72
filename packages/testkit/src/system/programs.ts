import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { ROOT } from '../root.ts';
import { ask, pathOf } from './ask.ts';
import { installFromSystem, type SystemPackage } from './system-packages.ts';

interface ProgramFacts extends SystemPackage {
  /** The variable that tells every test which program to start. */
  readonly variable: string;
  /** The possible names of the program. */
  readonly programs: readonly string[];
}

/** The programs that the tests start and that npm doesn't provide. */
export const PROGRAMS = {
  browser: {
    title: 'Chromium',
    variable: 'PULSE_CHROMIUM',
    programs: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    names: { apt: 'chromium', brew: 'chromium', dnf: 'chromium' },
  },
  redis: {
    title: 'Redis',
    variable: 'PULSE_REDIS_SERVER',
    programs: ['redis-server', 'valkey-server'],
    names: { apt: 'redis-server', brew: 'redis', dnf: 'redis' },
  },
  nginx: {
    title: 'nginx',
    variable: 'PULSE_NGINX',
    programs: ['nginx'],
    names: { apt: 'nginx-light', brew: 'nginx', dnf: 'nginx' },
  },
  varnish: {
    title: 'Varnish',
    variable: 'PULSE_VARNISHD',
    programs: ['varnishd'],
    names: { apt: 'varnish', brew: 'varnish', dnf: 'varnish' },
  },
  firefox: {
    title: 'Firefox',
    variable: 'PULSE_FIREFOX',
    programs: ['firefox', 'firefox-esr'],
    names: { apt: 'firefox-esr', brew: 'firefox', dnf: 'firefox' },
  },
  webkit: {
    title: 'WebKitGTK',
    variable: 'PULSE_WEBKIT_DRIVER',
    programs: ['WebKitWebDriver'],
    names: { apt: 'webkit2gtk-driver', dnf: 'webkit2gtk-driver' },
  },
  display: {
    title: 'Xvfb',
    variable: 'PULSE_XVFB',
    programs: ['Xvfb'],
    names: { apt: 'xvfb', dnf: 'xorg-x11-server-Xvfb' },
  },
} as const satisfies Record<string, ProgramFacts>;

/** A program that the tests start and that npm doesn't provide. */
export type Program = keyof typeof PROGRAMS;

/** The variable that tells every test which browser to use. */
export const BROWSER_VARIABLE = PROGRAMS.browser.variable;

/**
 * Headless Chromium, which tests on Debian can use instead. Most tests take a third less time in it than in the
 * full browser.
 */
const SHELL = { variable: 'PULSE_CHROMIUM_SHELL', program: 'chromium-headless-shell' };

/**
 * Finds programs, installs the missing ones, and puts their paths into the tests' environment. Returns the
 * programs that are still missing. Throws if only the user may install them: see `installFromSystem()`.
 */
export function provide(programs: Iterable<Program>): ReadonlySet<Program> {
  const wanted = new Set(programs);
  if (wanted.has('browser') && find('browser') === undefined) downloadBrowser();
  const missing = [...wanted].filter((program) => find(program) === undefined);
  const shell = wanted.has('browser') && wantsShell() ? [{ title: 'headless Chromium', names: shellNames }] : [];
  installFromSystem([...missing.map((program) => PROGRAMS[program]), ...shell]);
  for (const program of wanted) setVariable(PROGRAMS[program].variable, find(program));
  if (wanted.has('browser')) setVariable(SHELL.variable, process.env[SHELL.variable] ?? pathOf(SHELL.program));
  return new Set([...wanted].filter((program) => find(program) === undefined));
}

/** Finds or installs Chromium. Returns its path, or undefined if that fails. */
export function provideBrowser(): string | undefined {
  provide(['browser']);
  return process.env[BROWSER_VARIABLE];
}

const shellNames = { apt: SHELL.program, dnf: SHELL.program };

/** The headless shell only saves time, so it is installed only if no confirmation is required. */
function wantsShell(): boolean {
  const isThere = process.env[SHELL.variable] !== undefined || pathOf(SHELL.program) !== undefined;
  return !isThere && process.getuid?.() === 0 && ask('apt-cache', ['show', SHELL.program]).ok;
}

function downloadBrowser(): void {
  console.log("Chromium: none found. Downloading Playwright's …");
  ask(process.execPath, [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'install', 'chromium']);
}

/**
 * Finds a program by its variable, in the `PATH`, or in the folder where Debian installs servers. Only root's `PATH`
 * contains this folder.
 */
function find(program: Program): string | undefined {
  const { variable, programs } = PROGRAMS[program];
  const named = process.env[variable];
  if (named !== undefined && existsSync(named)) return named;
  const found = programs.flatMap((name) => [name, `/usr/sbin/${name}`]).map(pathOf);
  const downloaded =
    program === 'browser' && existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined;
  return found.find((path) => path !== undefined) ?? downloaded;
}

function setVariable(variable: string, path: string | undefined): void {
  if (path !== undefined) process.env[variable] = path;
}
