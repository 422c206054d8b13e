// Black-Scholes: each work-item computes the prices of one call and one put option.
float cumulative_normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float series = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * series;
    return d > 0.0f ? 1.0f - tail : tail;
}

__kernel void black_scholes(__global const float *price, __global const float *strike, __global const float *years,
                            __global float *call, __global float *put, float rate, float volatility)
{
    int i = get_global_id(0);
    float s = price[i], x = strike[i], t = years[i];
    float spread = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float d2 = d1 - spread;
    float discounted = x * exp(-rate * t);
    float n1 = cumulative_normal(d1);
    float n2 = cumulative_normal(d2);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
