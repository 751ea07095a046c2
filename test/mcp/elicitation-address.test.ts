/** The address that a server asks a person to open is one of the web. */
import { expect, test } from 'vitest'
import { elicitationOf } from '../../src/mcp/elicitation/input-required.ts'

const asking = (url: unknown) => () =>
  elicitationOf('pay', {
    inputRequests: { visit: { method: 'elicitation/create', params: { mode: 'url', message: 'Go.', url } } },
  }).questions['visit']

test.each(['https://bank.test/confirm', 'http://localhost:3000/'])('%s is asked', (url) => {
  expect(asking(url)()).toEqual({ mode: 'url', message: 'Go.', url })
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'vscode://x',
  '/confirm',
  '',
  undefined,
  7,
  {},
])('%s is refused', (url) => {
  expect(asking(url)).toThrow(expect.objectContaining({ code: 'MCP_REQUEST_UNSUPPORTED' }))
})
