/** Questions, and the answers that an expert gave. */
export const cases = [
  {
    name: 'Sunday',
    prompt: 'Can I come on Sunday?',
    expected: 'Yes, on Sunday we are open from 10:00 to 18:00.',
  },
  { name: 'Monday', prompt: 'Can I come on Monday?', expected: 'No, on Monday we are closed.' },
]
