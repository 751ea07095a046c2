/** Servers behind OAuth: the transport's `authProvider` gets and renews tokens, and refused ones are a clear error. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { createTool } from 'troupe'
import { mcpTools, type McpConnection } from 'troupe/mcp'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, worker } from '../support/agents/agents.ts'
import { clerkOf, connectionAs, guardedOffice } from './support/authorisation.ts'

const look = (word: string) => calls({ name: 'look_up', args: { word } })

/** An agent that looks a word up, makes a pause of the test's own, and looks up another one. */
function clerk(connection: McpConnection, pause: () => void) {
  const rest = createTool({
    id: 'rest',
    description: 'Rests.',
    inputSchema: z.object({}),
    execute: () => {
      pause()
      return 'rested'
    },
  })
  const steps = [look('tide'), calls({ name: 'rest', args: {} }), look('moon'), 'Done.']
  return worker('clerk', steps, {
    tools: async () => ({ rest, ...(await mcpTools(connection, { only: ['look.up'] })) }),
  }).agent
}

test('a client with credentials of its own gets a token, once for the connection', async () => {
  const server = guardedOffice()
  const connection = connectionAs(clerkOf(), server)
  const result = await clerk(connection, () => undefined).generate('Go')
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  expect(server.given.count).toBe(1)
  expect(server.office.calls).toMatchObject([{ args: { word: 'tide' } }, { args: { word: 'moon' } }])
  expect(JSON.stringify(result)).not.toMatch(/token-1|sesame/)
  await connection.close()
})

test('a token that expires is renewed, and the call is made once', async () => {
  const server = guardedOffice()
  const connection = connectionAs(clerkOf(), server)
  const { outcome, errors } = await clerk(connection, server.expire).generate('Go')
  expect([outcome, errors]).toEqual(['completed', []])
  expect(server.given.count).toBe(2)
  expect(server.office.calls).toHaveLength(2)
  await connection.close()
})

test('credentials that the authorization server refuses end the run, and are not tried again', async () => {
  const server = guardedOffice()
  const connection = connectionAs(clerkOf('wrong'), server)
  await expect(mcpTools(connection)).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'UNAUTHORISED',
    message: expect.stringContaining('This client is not known.'),
  })
  const result = await clerk(connection, () => undefined).generate('Go')
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'UNAUTHORISED' } })
  expect(JSON.stringify(result)).not.toContain('wrong')
  await connection.close()
})

test('credentials that are withdrawn during a run fail the call that has none', async () => {
  const server = guardedOffice()
  const connection = connectionAs(clerkOf(), server)
  const { outcome, steps, errors } = await clerk(connection, server.revoke).generate('Go')
  expect(outcome).toBe('completed')
  expect(steps[2]?.toolResults).toMatchObject([{ outcome: 'failed', error: { code: 'UNAUTHORISED' } }])
  expect(errors).toMatchObject([{ error: { code: 'UNAUTHORISED' } }])
  expect(server.office.calls).toHaveLength(1)
  await connection.close()
})

test('a token of the program that the server does not take', async () => {
  const server = guardedOffice()
  const connection = connectionAs({ token: () => Promise.resolve('stale') }, server)
  await expect(mcpTools(connection)).rejects.toMatchObject({ name: 'TerminalError', code: 'UNAUTHORISED' })
  await connection.close()
})

test('a provider for which a person must sign in first', async () => {
  const visited: string[] = []
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://localhost/callback',
    clientMetadata: { redirect_uris: ['http://localhost/callback'] },
    clientInformation: () => ({ client_id: 'clerk' }),
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: ({ pathname }) => void visited.push(pathname),
    saveCodeVerifier: () => undefined,
    codeVerifier: () => 'verifier',
  }
  const connection = connectionAs(provider, guardedOffice())
  await expect(mcpTools(connection)).rejects.toMatchObject({ name: 'TerminalError', code: 'UNAUTHORISED' })
  expect(visited).toContain('/authorize')
  await connection.close()
})
