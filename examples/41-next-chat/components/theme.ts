/** A tool of the page: the model may ask for it, and the page performs the call. The server must allow it by its name. */
export const theme = {
  name: 'theme',
  description: 'Shows the page light or dark.',
  parameters: {
    type: 'object',
    properties: { to: { type: 'string', enum: ['light', 'dark'] } },
    required: ['to'],
    additionalProperties: false,
  },
} as const

/** The colours that a call asks for; `undefined` while its arguments are being written. */
export function coloursOf(input: unknown): 'light' | 'dark' | undefined {
  if (typeof input !== 'object' || input === null || !('to' in input)) return undefined
  return input.to === 'light' || input.to === 'dark' ? input.to : undefined
}
