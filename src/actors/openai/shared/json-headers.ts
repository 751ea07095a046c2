/** The headers of a request whose body is JSON as text: the client sends a text of this type as it is. */
export const jsonHeaders = { 'content-type': 'application/json' }
