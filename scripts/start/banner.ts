import { join } from 'node:path';
import { startCommand, type StartPlan, urlOf } from './servers.ts';

/**
 * The lines that `npm start` prints once everything is running: the URLs, the warnings, how a page shows a card, and
 * how to stop.
 */
export function bannerFor({ ports, isHosted, dataFolder, env }: StartPlan, warnings: readonly string[] = []): string {
  const demoService = `${urlOf(ports.service)}   the server with the demo data (second host: ${urlOf(ports.serviceAlt)})`;
  return `
Pulse Card is running:

  demo     ${urlOf(ports.demo)}   the Studio, where you style a card and copy its code
  BFF      ${urlOf(ports.bff)}   the server that your pages use (its status: ${urlOf(ports.bffAdmin)})
  service  ${isHosted ? env['PULSE_BASE_URL'] : demoService}

${[...warnings, originLine(env)].join('\n')}
Logs are in ${join(dataFolder, 'logs')}. Stop with Ctrl+C.`;
}

function originLine(env: NodeJS.ProcessEnv): string {
  const command = startCommand(env);
  const named = (env['PULSE_ALLOWED_ORIGINS'] ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean)
    .join(',');
  if (named === '*') return 'Pages on any origin can show cards (PULSE_ALLOWED_ORIGINS=*).';
  if (named === '')
    return `To show a card on your own page, allow its origin: PULSE_ALLOWED_ORIGINS=http://localhost:8123 ${command}`;
  return `Pages on ${named} can show cards. To add an origin: PULSE_ALLOWED_ORIGINS=${named},https://www.example.com ${command}`;
}
