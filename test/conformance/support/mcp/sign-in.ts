/** The providers of credentials with which the client of the suite signs in, as the suite hands them over. */
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** What the suite tells of a scenario: credentials, or calls to make. */
export type Context = Readonly<Record<string, unknown>>

const redirectUrl = 'http://localhost:3000/callback'

/** A person who signs in at once: the page of the authorization server answers with a redirect. */
export class Visitor implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl
  readonly clientMetadataUrl = 'https://conformance-test.local/client-metadata.json'
  readonly clientMetadata = {
    client_name: 'troupe',
    redirect_uris: [redirectUrl],
    application_type: 'native' as const,
  }
  /** What the redirect brought back, until it is taken. */
  #callback: URLSearchParams | undefined
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #verifier = ''

  constructor(client?: StoredOAuthClientInformation) {
    this.#client = client
  }

  clientInformation = () => this.#client
  tokens = () => this.#tokens
  codeVerifier = () => this.#verifier

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.#client = undefined
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    const { headers } = await fetch(page, { redirect: 'manual' })
    const target = headers.get('location')
    if (target === null) throw new Error(`${page.href} does not redirect.`)
    this.#callback = new URL(target).searchParams
  }

  takeCallback(): URLSearchParams | undefined {
    const callback = this.#callback
    this.#callback = undefined
    return callback
  }
}

/** A visitor whose tokens are bound to a key of its own. */
class KeyHolder extends Visitor {
  readonly #session = DpopSession.create()
  dpop = () => this.#session
}

/** A workload that shows the assertion of its platform, once. */
class Workload extends Visitor {
  readonly #assertion: string
  #isShown = false

  constructor(clientId: string, assertion: string) {
    super({ client_id: clientId })
    this.#assertion = assertion
  }

  prepareTokenRequest(scope?: string): URLSearchParams {
    if (this.#isShown) throw new Error('The assertion was refused.')
    this.#isShown = true
    return new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: this.#assertion,
      ...(scope === undefined ? {} : { scope }),
    })
  }
}

/* oxlint-disable typescript/no-deprecated -- the suite does not tell the issuer of the credentials that it hands over */

/** The provider that the scenario is about. */
export function providerOf(scenario: string, context: Context): OAuthClientProvider {
  const text = (name: string): string => String(context[name])
  const [clientId, clientSecret] = [text('client_id'), text('client_secret')]
  switch (scenario) {
    case 'auth/pre-registration':
      return new Visitor({ client_id: clientId, client_secret: clientSecret })
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret })
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId,
        privateKey: text('private_key_pem'),
        algorithm: text('signing_algorithm'),
      })
    case 'auth/enterprise-managed-authorization':
      return new CrossAppAccessProvider({
        clientId,
        clientSecret,
        assertion: async ({ authorizationServerUrl, resourceUrl }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: text('idp_token_endpoint'),
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: text('idp_id_token'),
            clientId: text('idp_client_id'),
          })
          return jwtAuthGrant
        },
      })
    case 'auth/wif-jwt-bearer':
      return new Workload(clientId, text('valid_jwt'))
    case 'auth/dpop':
    case 'auth/dpop-nonce':
      return new KeyHolder()
    default:
      return new Visitor()
  }
}
