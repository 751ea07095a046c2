/** An authorization server, and the MCP server of the office behind it: OAuth without a socket. */
import {
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import { mcpConnection, type McpConnection } from 'troupe/mcp'
import { office, type Office } from './office.ts'

const resource = 'http://office.test/mcp'
const issuer = 'https://auth.test'

export interface GuardedOffice {
  readonly office: Office
  /** The number of tokens that the authorization server has given. */
  readonly given: { count: number }
  /** Takes no token that was given by now. */
  expire(): void
  /** Gives no further token. */
  revoke(): void
  fetch(url: string | URL, init?: RequestInit): Promise<Response>
}

export function guardedOffice(): GuardedOffice {
  const inner = office()
  const given = { count: 0 }
  let oldest = 1
  let isRevoked = false

  /** The client proves itself by the secret `open sesame`. */
  function token(request: Request): Response {
    const proof = `Basic ${btoa('clerk:open sesame')}`
    if (isRevoked || request.headers.get('authorization') !== proof) {
      const error = { error: 'invalid_client', error_description: 'This client is not known.' }
      return Response.json(error, { status: 401 })
    }
    given.count++
    return Response.json({ access_token: `token-${given.count}`, token_type: 'Bearer' })
  }

  function isAllowed(request: Request): boolean {
    const [, number = '0'] = /^Bearer token-(\d+)$/.exec(request.headers.get('authorization') ?? '') ?? []
    return Number(number) >= oldest
  }

  async function answer(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url)
    if (pathname.startsWith('/.well-known/oauth-protected-resource')) {
      return Response.json({ resource, authorization_servers: [issuer] })
    }
    if (origin === issuer && pathname.startsWith('/.well-known/')) {
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials', 'authorization_code'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        code_challenge_methods_supported: ['S256'],
      })
    }
    if (origin === issuer) return token(request)
    if (isAllowed(request)) return inner.fetch(request)
    const challenge = `Bearer resource_metadata="http://office.test/.well-known/oauth-protected-resource/mcp"`
    return new Response('Who are you?', { status: 401, headers: { 'www-authenticate': challenge } })
  }

  return {
    office: inner,
    given,
    expire: () => {
      oldest = given.count + 1
    },
    revoke: () => {
      oldest = given.count + 1
      isRevoked = true
    },
    fetch: (url, init) => answer(new Request(url, init)),
  }
}

export function clerkOf(clientSecret = 'open sesame'): ClientCredentialsProvider {
  return new ClientCredentialsProvider({ clientId: 'clerk', clientSecret, expectedIssuer: issuer })
}

export function connectionAs(
  authProvider: AuthProvider | OAuthClientProvider,
  { fetch }: Pick<GuardedOffice, 'fetch'>,
): McpConnection {
  return mcpConnection({
    transport: () => new StreamableHTTPClientTransport(new URL(resource), { authProvider, fetch }),
  })
}
