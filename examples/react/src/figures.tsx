import { PulseCard } from '@pulse-card/widget/react';
import type { PulseCard as PulseCardElement } from '@pulse-card/widget';
import { type ReactNode, useRef, useState } from 'react';

const BASE_URL = 'http://localhost:4020';

const SOURCES = { src_us_employment: 'Labour market', src_seattle_rain: 'Rain in Seattle' } as const;

/** A page with a card for the chosen source, and with the card's last event as text. */
export function Figures(): ReactNode {
  const [sourceId, setSourceId] = useState<string>('src_us_employment');
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState('none yet');
  const card = useRef<PulseCardElement>(null);
  return (
    <>
      <h1>Figures of the quarter</h1>
      <label>
        Source{' '}
        <select value={sourceId} onChange={({ target }) => setSourceId(target.value)}>
          {Object.entries(SOURCES).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>{' '}
      <button onClick={() => setOpen(!open)}>{open ? 'Collapse' : 'Expand'}</button>{' '}
      <button onClick={() => void card.current?.refresh()}>Refresh</button>
      <PulseCard
        ref={card}
        sourceId={sourceId}
        baseUrl={BASE_URL}
        headingLevel={2}
        open={open}
        onPulseLoad={({ detail }) => setSaid(`loaded ${detail.pulse.jobRunId}`)}
        onPulseToggle={({ detail }) => setOpen(detail.open)}
        onPulseError={({ detail }) => setSaid(detail.message)}
      />
      <p>
        Last event: <output>{said}</output>
      </p>
    </>
  );
}
