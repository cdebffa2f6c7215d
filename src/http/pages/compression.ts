/** Whether a request takes gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .split(',')
    .some((coding) => {
      const [name, ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
      return name === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    });
}
