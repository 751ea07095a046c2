/** Whether the long parts of the suites run: `npm run conformance` sets it, and `npm test` does not. */
export const whole = process.env['CONFORMANCE'] === 'whole'
