/** The command that runs the doctor in this setup: from npm, or in the clone that this BFF was built in. */
export function doctorLine(line: string, isReleased: boolean): string {
  const command = isReleased ? 'npx @pulse-card/doctor' : 'npm run -s pulse-doctor --';
  return line.replace(/\bpulse-doctor (?=https?:)/, `${command} `);
}
