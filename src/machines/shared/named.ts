/** The states of a chart, each with its name as its id: an arrow may lead to it from any depth. */
export function named<const States extends Readonly<Record<string, object>>>(states: States): States {
  const entries = Object.entries(states).map(([name, state]) => [name, { id: name, ...state }])
  return Object.fromEntries(entries) as States
}
