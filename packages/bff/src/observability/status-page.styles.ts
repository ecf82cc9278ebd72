/** The looks of the status page: quiet, legible, dark where the reader's machine is. */
export const statusPageStyles = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --ink: #1b2430; --soft: #5b6675; --line: #e3e7ec;
  --accent: #2f5fd0; --good: #1a7f4e; --warn: #9a6200; --bad: #b3261e; --bar: #dfe5ee; }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1318; --card: #171c23; --ink: #e6eaf0; --soft: #98a3b3;
  --line: #262d37; --accent: #8fb0ff; --good: #5fd39a; --warn: #e5b454; --bad: #ff8a80; --bar: #2a323d; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
header, main { max-width: 72rem; margin: 0 auto; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; margin-bottom: 1.5rem; }
h1 { font-size: 1.25rem; font-weight: 650; margin: 0; }
h2 { font-size: .8125rem; font-weight: 600; margin: 0 0 .5rem; color: var(--soft); }
.state { font-weight: 600; } .state::before { content: ''; display: inline-block; width: .625rem; height: .625rem;
  border-radius: 50%; background: currentColor; margin-right: .5rem; }
.good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); } .soft { color: var(--soft); }
.trouble { border-left: 3px solid var(--bad); background: var(--card); padding: .75rem 1rem; margin: 0 0 1rem; border-radius: 6px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; margin-bottom: 1.5rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem; }
.figure { font-size: 1.625rem; font-weight: 600; line-height: 1.2; } .figure small { font-size: .875rem; font-weight: 400; color: var(--soft); }
dl { display: grid; grid-template-columns: 1fr auto; gap: .125rem 1rem; margin: .5rem 0 0; } dt { color: var(--soft); } dd { margin: 0; text-align: right; }
progress { appearance: none; width: 100%; height: 6px; border: 0; border-radius: 3px; overflow: hidden; background: var(--bar); margin-top: .5rem; }
progress::-webkit-progress-bar { background: var(--bar); } progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.gone main { opacity: .5; }
.scroll { overflow-x: auto; } table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-size: .8125rem; font-weight: 600; color: var(--soft); }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
tr:last-child td { border-bottom: 0; } .number { text-align: right; } code { font: .875rem ui-monospace, monospace; }
a { color: var(--accent); } footer { margin-top: 1.5rem; color: var(--soft); }
`;
