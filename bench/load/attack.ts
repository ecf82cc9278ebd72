import { ATTACKS } from './attacks.ts';

// In a process of its own, so that its work is not the server's: `attack.ts NAME PORT` prints its figures as JSON.
const [name = '', port = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
if (attack === undefined) throw new Error(`Cannot attack by "${name}": there are ${Object.keys(ATTACKS).join(', ')}`);
console.log(JSON.stringify(await attack.run(Number(port))));
