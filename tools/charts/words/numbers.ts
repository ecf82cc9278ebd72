/** Writes a number with a fixed number of decimals and with commas between thousands. */
export function decimal(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Writes a fraction (0.019) as a percentage ("1.9%"). */
export function percent(share: number, digits = 1): string {
  return `${decimal(share * 100, digits)}%`;
}

/** Writes a number of thousands as millions ("143.1 million"). */
export function millions(thousands: number, digits = 1): string {
  return `${decimal(thousands / 1000, digits)} million`;
}

/** Writes a change with its direction ("up 1.9%", "down 6.3%"). */
export function change(share: number, digits = 1): string {
  return `${share < 0 ? 'down' : 'up'} ${percent(Math.abs(share), digits)}`;
}
