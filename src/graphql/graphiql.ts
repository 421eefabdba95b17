/** The GraphiQL page, whole in one answer: it loads nothing from elsewhere. */
export async function graphiqlPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  return renderGraphiQL({
    title: 'Lucarne GraphQL',
    endpoint: '/graphql',
    subscriptionsProtocol: 'WS',
    credentials: 'same-origin',
    defaultQuery:
      '# Sign in first:  mutation { signIn(email: "…", password: "…") { user { name } } }\n' +
      '# or send an API key as a header:  { "Authorization": "Bearer lck_…" }\n' +
      '{ me { organization { name } } }\n',
  });
}
