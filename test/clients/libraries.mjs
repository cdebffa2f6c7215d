/** Connects to the service at BASE_URL with one stock library, named by the argument, and prints what came of it, a line of JSON each. */
import process from 'node:process';

const { BASE_URL = '', CLIENT_ID = '', CLIENT_SECRET = '', TOKEN = '' } = process.env;
const told = (line) => console.log(JSON.stringify(line));

const LIBRARIES = {
  async oauth4webapi() {
    const oauth = await import('oauth4webapi');
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(BASE_URL);
    const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const client = { client_id: CLIENT_ID };
    const scope = new URLSearchParams({ scope: 'loans:read' });
    const secret = oauth.ClientSecretBasic(CLIENT_SECRET);
    const answer = await oauth.clientCredentialsGrantRequest(server, client, secret, scope, insecure);
    const { access_token, scope: given } = await oauth.processClientCredentialsResponse(server, client, answer);
    told({ token: access_token, scope: given });
  },

  async 'simple-oauth2'() {
    const { ClientCredentials } = await import('simple-oauth2');
    const auth = { tokenHost: BASE_URL, tokenPath: '/v2/chain/oauth/token' };
    const client = new ClientCredentials({ client: { id: CLIENT_ID, secret: CLIENT_SECRET }, auth });
    const { token, expired } = await client
      .getToken({ scope: ['loans:read'] })
      .then((got) => ({ token: got.token, expired: got.expired(60) }));
    told({ token: token.access_token, scope: token.scope, expired });
  },

  /** Until the process is ended: while it waits to connect again, the library alone would let it end. */
  async eventsource() {
    const { EventSource } = await import('eventsource');
    setInterval(() => {}, 60_000);
    const source = new EventSource(`${BASE_URL}/v2/chain/events?types=loan.*`, {
      fetch(address, init) {
        const last = init.headers['Last-Event-ID'] ?? null;
        told({ connects: true, last });
        return fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${TOKEN}` } });
      },
    });
    const take = ({ lastEventId, data }) => told({ id: lastEventId, type: JSON.parse(data).type });
    source.addEventListener('message', take);
  },

  async 'swagger-parser'() {
    const { default: parser } = await import('@apidevtools/swagger-parser');
    const { info, paths } = await parser.validate(process.argv[3]);
    told({ version: info.version, paths: Object.keys(paths).length });
  },
};

await LIBRARIES[process.argv[2]]();
